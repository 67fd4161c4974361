import {
  type ImageFormat,
  type InputActionName,
  type InputActions,
  inputActions,
} from '../../contract/actions/actions.js';
import { IMAGE_FORMATS } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import type { Answer } from '../../contract/operations.js';
import { bashLines } from '../../fleet/actions/bash-lines.js';
import { base64Length, pictureFields } from '../../fleet/actions/batch.js';
import { readClipboard, writeClipboard } from '../../fleet/actions/clipboard.js';
import { controlNotice } from '../../fleet/control/control-notice.js';
import type { Marked } from '../../fleet/elements/marks.js';
import type { Picture } from '../../screen/types.js';
import { accepts, mediaTypes } from '../http/conditional/accept.js';
import { etagOf, Tagged } from '../http/conditional/etag.js';
import { ByteStream, Bytes, type ComputerCall } from '../requests.js';
import type { Handlers } from './handlers.js';

type Names =
  | ('screenshot' | 'thumbnail' | InputActionName | 'bash' | 'exec' | 'wait' | 'batch')
  | ('getElements' | 'findElements')
  | ('getClipboard' | 'setClipboard' | 'getCursor' | 'getComputerUse' | 'computerUse');
type Items = Answer<'getComputerUse'>['tools'];

/** Each answers `{success: true}` once the display server has the input. */
const inputHandlers = Object.fromEntries(
  (Object.keys(inputActions) as InputActionName[]).map((name) => [
    name,
    ({ fleet, computer, body, signal, owner }: ComputerCall<InputActions[typeof name], unknown>) =>
      fleet.actions.perform(computer, name, body, signal, owner),
  ]),
) as unknown as Pick<Handlers, InputActionName>;

/** Bytes of a picture that become base64 at once: a multiple of 3. */
const PART = 192 * 1024;

/** A screenshot in JSON. The picture, which has most of its bytes, is not read as a text again. */
function pictureJson(
  picture: Picture | (Picture & Marked),
  notice: ReturnType<typeof controlNotice>,
): Bytes {
  const head = Buffer.from('{"success":true,"image":"');
  const { data } = picture;
  const told = JSON.stringify({ ...pictureFields(picture), ...notice });
  const tail = Buffer.from(`",${told.slice(1)}`);
  const length = head.length + base64Length(data) + tail.length;
  const json = Buffer.allocUnsafe(length);
  let end = head.copy(json);
  // In parts, each of which is a text only for a moment.
  for (let at = 0; at < data.length; at += PART) {
    const part = data.toString('base64', at, Math.min(at + PART, data.length));
    end += json.write(part, end, 'latin1');
  }
  tail.copy(json, end);
  return new Bytes(json, 'application/json; charset=utf-8');
}

function needsJson(): ApiError {
  const message = 'marks: the list of marks needs JSON, but Accept asks for the bytes of an image.';
  return new ApiError('invalid_request', message, { remedy: 'Send Accept: application/json' });
}

/** Lines of JSON, one a piece of output. */
const LINES = 'application/x-ndjson';

/** The image format that an Accept header asks for as bytes; undefined when JSON is wanted. */
function acceptedImage(accept: string | undefined): ImageFormat | undefined {
  const types = mediaTypes(accept);
  const named = IMAGE_FORMATS.find((format) => types.includes(`image/${format}`));
  return named ?? (types.includes('image/*') ? 'png' : undefined);
}

export const actionHandlers: Pick<Handlers, Names> = {
  ...inputHandlers,
  screenshot: async ({ fleet, owner, computer, query, headers, signal }) => {
    const wanted = acceptedImage(headers.accept);
    const format = query.format ?? wanted ?? 'png';
    if (query.marks && wanted !== undefined) throw needsJson();
    const request = { ...query, format };
    const picture = await fleet.actions.screenshot(computer, request, signal, owner);
    const returned = fleet.control.returnedSince(computer.id, owner);
    const answer =
      wanted === undefined
        ? pictureJson(picture, controlNotice(returned))
        : new Bytes(picture.data, `image/${format}`);
    // Each picture has a frame of its own.
    if (query.marks) return answer;
    const etag = etagOf(picture.data, wanted === undefined ? 'json' : 'bytes');
    return new Tagged(
      answer,
      etag,
      returned && { 'x-control-returned': returned.at.toISOString() },
    );
  },
  thumbnail: async ({ fleet, computer, query, signal }) => {
    const { data } = await fleet.actions.thumbnail(computer, query.width, signal);
    return new Tagged(new Bytes(data, 'image/jpeg'), etagOf(data, 'bytes'));
  },
  getElements: ({ fleet, computer, query, signal }) =>
    fleet.elements.list(computer, query.limit, signal),
  findElements: ({ fleet, computer, body, signal }) => fleet.elements.find(computer, body, signal),
  getClipboard: async ({ fleet, computer, signal }) => ({
    text: await readClipboard(fleet.actions, computer, signal),
  }),
  setClipboard: async ({ fleet, owner, computer, body, signal }) => {
    const check = () => fleet.control.check(computer.id, owner);
    await writeClipboard(fleet.actions, computer, { text: body.text, check }, signal);
    return { success: true };
  },
  bash: async ({ fleet, computer, body, headers, signal }) => {
    if (!accepts(headers.accept, LINES)) return fleet.actions.bash(computer, body, signal);
    return new ByteStream(await bashLines(fleet.actions, computer, body, signal), LINES);
  },
  exec: ({ fleet, computer, body, signal }) => fleet.actions.exec(computer, body, signal),
  wait: ({ fleet, computer, body, signal }) => fleet.actions.wait(computer, body, signal),
  getComputerUse: async ({ fleet, computer, query, signal }) => ({
    tools: (await fleet.computerUse.tools(computer, query.dialect, signal)) as Items,
  }),
  computerUse: ({ fleet, computer, body, owner, signal, onActions }) =>
    fleet.computerUse.use({ record: computer, body, by: owner, signal, onActions }),
  batch: ({ fleet, computer, body, signal, owner }) =>
    fleet.actions.batch(computer, body.actions, signal, owner),
  getCursor: ({ fleet, computer, signal }) => fleet.actions.cursor(computer, signal),
};
