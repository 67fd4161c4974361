import type { BatchAction } from '../../contract/actions/batch.js';
import { ApiError } from '../../contract/errors.js';
import type { Point } from '../../screen/geometry.js';
import type { Size } from '../../screen/types.js';
import { unscaled } from '../actions/coordinates.js';

/** What was done: an action of a batch, or a text that was put on the clipboard. */
export type RecordedAction =
  | BatchAction
  | { readonly action: 'set_clipboard'; readonly text: string };

/** The name of an operation as an action of a batch. */
export function batchName(operation: string): string {
  return operation.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The action as the client gave it, whose text has placeholders; of secrets only those it contains. */
export function asTyped(given: BatchAction, filled: object): BatchAction {
  if (given.action !== 'type') return given;
  return { ...given, secrets: (filled as Pick<typeof given, 'secrets'>).secrets };
}

/** A click on an element or mark as one on the place where it was, which can be replayed. */
export function atPoint(action: RecordedAction, at: Point | undefined): RecordedAction {
  if (at === undefined || action.action !== 'click') return action;
  const fields = { element: undefined, mark: undefined, frame: undefined, scale: undefined };
  return { ...action, ...at, ...fields };
}

const POINTS = [
  ['x', 'y'],
  ['start_x', 'start_y'],
  ['end_x', 'end_y'],
] as const;

/** The action as it is written: points in the screen's pixels, without fields that say nothing. */
export function written(action: RecordedAction, screen: Size): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...action };
  const { scale } = fields as { readonly scale?: number };
  if (scale !== undefined) {
    try {
      const toScreen = unscaled(screen, scale);
      for (const [x, y] of POINTS) {
        if (typeof fields[x] !== 'number' || typeof fields[y] !== 'number') continue;
        const at = toScreen(fields[x], fields[y]);
        Object.assign(fields, { [x]: at.x, [y]: at.y });
      }
      if (Array.isArray(fields.path)) {
        fields.path = (fields.path as [number, number][]).map(([x, y]) => {
          const at = toScreen(x, y);
          return [at.x, at.y];
        });
      }
      delete fields.scale;
    } catch (error) {
      // Outside the screen: it was refused, and is written as it came.
      if (!(error instanceof ApiError)) throw error;
      return { ...action };
    }
  }
  if (fields.action === 'click') delete fields.double;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) delete fields[name];
  }
  if (action.action === 'click') fields.clicks = action.clicks ?? (action.double ? 2 : 1);
  return fields;
}
