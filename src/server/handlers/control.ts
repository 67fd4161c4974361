import type { ActionResult, ImageFormat } from '../../contract/actions.js';
import { pictureAnswer } from '../../fleet/batch.js';
import type { Control } from '../../fleet/control.js';
import type { ComputerRecord } from '../../fleet/store/records.js';
import type { Handlers } from '../handlers.js';
import { Bytes, type Call, computerOf } from '../requests.js';

type Names =
  | 'screenshot'
  | 'click'
  | 'move'
  | 'drag'
  | 'scroll'
  | 'type'
  | 'key'
  | 'bash'
  | 'exec'
  | 'wait'
  | 'batch';

type Input<B> = (
  control: Control,
  record: ComputerRecord,
  body: B,
  signal: AbortSignal,
) => Promise<ActionResult>;

/** An action that answers `{success: true}` once it is done. */
function action<B>(perform: Input<B>) {
  return async ({ fleet, owner, params, body, signal }: Call<B, unknown>) =>
    perform(fleet.control, computerOf(fleet, owner, params), body, signal);
}

const IMAGE_TYPES: readonly ImageFormat[] = ['png', 'jpeg', 'webp'];

/** The image format that an Accept header asks for as bytes; undefined when JSON is wanted. */
export function acceptedImage(accept: string | undefined): ImageFormat | undefined {
  const types = (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase());
  return IMAGE_TYPES.find((format) => types.includes(`image/${format}`));
}

export const controlHandlers: Pick<Handlers, Names> = {
  screenshot: async ({ fleet, owner, params, query, accept, signal }) => {
    const wanted = acceptedImage(accept);
    const format = query.format ?? wanted ?? 'png';
    const record = computerOf(fleet, owner, params);
    const picture = await fleet.control.screenshot(record, { ...query, format }, signal);
    if (wanted !== undefined) return new Bytes(picture.data, `image/${format}`);
    return pictureAnswer(picture);
  },
  click: action((control, record, body, signal) => control.click(record, body, signal)),
  move: action((control, record, body, signal) => control.move(record, body, signal)),
  drag: action((control, record, body, signal) => control.drag(record, body, signal)),
  scroll: action((control, record, body, signal) => control.scroll(record, body, signal)),
  type: action((control, record, body, signal) => control.type(record, body, signal)),
  key: action((control, record, body, signal) => control.key(record, body, signal)),
  bash: ({ fleet, owner, params, body, signal }) =>
    fleet.control.bash(computerOf(fleet, owner, params), body, signal),
  exec: ({ fleet, owner, params, body, signal }) =>
    fleet.control.exec(computerOf(fleet, owner, params), body, signal),
  wait: async ({ fleet, owner, params, body, signal }) => ({
    success: true,
    waited: await fleet.control.wait(computerOf(fleet, owner, params), body, signal),
  }),
  batch: ({ fleet, owner, params, body, signal }) =>
    fleet.control.batch(computerOf(fleet, owner, params), body.actions, signal),
};
