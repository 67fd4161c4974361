import {
  type ImageFormat,
  type InputActionName,
  type InputActions,
  inputActions,
} from '../../contract/actions/actions.js';
import { IMAGE_FORMATS } from '../../contract/constants.js';
import { bashLines } from '../../fleet/actions/bash-lines.js';
import { pictureAnswer } from '../../fleet/actions/batch.js';
import { readClipboard, writeClipboard } from '../../fleet/actions/clipboard.js';
import { etagOf, Tagged } from '../http/conditional/etag.js';
import { ByteStream, Bytes, type ComputerCall } from '../requests.js';
import type { Handlers } from './handlers.js';

type Names =
  | ('screenshot' | InputActionName | 'bash' | 'exec' | 'wait' | 'batch')
  | ('getClipboard' | 'setClipboard');

/** Each answers `{success: true}` once the display server has the input. */
const inputHandlers = Object.fromEntries(
  (Object.keys(inputActions) as InputActionName[]).map((name) => [
    name,
    ({ fleet, computer, body, signal }: ComputerCall<InputActions[typeof name], unknown>) =>
      fleet.actions.perform(computer, name, body, signal),
  ]),
) as unknown as Pick<Handlers, InputActionName>;

/** Lines of JSON, one a piece of output. */
const LINES = 'application/x-ndjson';

/** Whether an Accept header names the media type. */
function accepts(accept: string | undefined, type: string): boolean {
  return mediaTypes(accept).includes(type);
}

function mediaTypes(accept: string | undefined): (string | undefined)[] {
  return (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase());
}

/** The image format that an Accept header asks for as bytes; undefined when JSON is wanted. */
function acceptedImage(accept: string | undefined): ImageFormat | undefined {
  const types = mediaTypes(accept);
  const named = IMAGE_FORMATS.find((format) => types.includes(`image/${format}`));
  return named ?? (types.includes('image/*') ? 'png' : undefined);
}

export const actionHandlers: Pick<Handlers, Names> = {
  ...inputHandlers,
  screenshot: async ({ fleet, computer, query, headers, signal }) => {
    const wanted = acceptedImage(headers.accept);
    const format = query.format ?? wanted ?? 'png';
    const picture = await fleet.actions.screenshot(computer, { ...query, format }, signal);
    const answer =
      wanted === undefined ? pictureAnswer(picture) : new Bytes(picture.data, `image/${format}`);
    return new Tagged(answer, etagOf(picture.data, wanted === undefined ? 'json' : 'bytes'));
  },
  getClipboard: async ({ fleet, computer, signal }) => ({
    text: await readClipboard(fleet.actions, computer, signal),
  }),
  setClipboard: async ({ fleet, computer, body, signal }) => {
    await writeClipboard(fleet.actions, computer, body.text, signal);
    return { success: true };
  },
  bash: async ({ fleet, computer, body, headers, signal, room }) => {
    if (!accepts(headers.accept, LINES)) return fleet.actions.bash(computer, body, signal, room);
    return new ByteStream(await bashLines(fleet.actions, computer, body, signal), LINES);
  },
  exec: ({ fleet, computer, body, signal, room }) =>
    fleet.actions.exec(computer, body, signal, room),
  wait: ({ fleet, computer, body, signal }) => fleet.actions.wait(computer, body, signal),
  batch: ({ fleet, computer, body, signal, room }) =>
    fleet.actions.batch(computer, body.actions, signal, room),
};
