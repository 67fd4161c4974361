import type { Action } from './sentences.js';

/** A place on the screen, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What an action does with the pointer. */
export interface PointerInput {
  /** Where it goes, in order: one place, or those of a drag. */
  readonly points: readonly Point[];
  /** How often it clicks. */
  readonly clicks: number;
  /** Where it scrolls to, in degrees clockwise from up. */
  readonly turn?: number;
}

const TURNS: Readonly<Record<string, number>> = { up: 0, right: 90, down: 180, left: 270 };

/** The places of an action; none for one that leaves the pointer where it is. */
export function inputOf(action: Action): PointerInput {
  const clicks = typeof action.clicks === 'number' ? Math.min(3, action.clicks) : 1;
  const path = Array.isArray(action.path) ? action.path.map(pair) : [];
  const points = [
    place(action, 'x', 'y'),
    place(action, 'start_x', 'start_y'),
    ...path,
    place(action, 'end_x', 'end_y'),
  ].filter((point) => point !== undefined);
  const turn = turnOf(action);
  return { points, clicks, ...(turn === undefined ? {} : { turn }) };
}

/** Where the pointer is after the steps; undefined if none has moved it. */
export function pointerAfter(actions: readonly Action[]): Point | undefined {
  for (let at = actions.length - 1; at >= 0; at -= 1) {
    const last = inputOf(actions[at] ?? {}).points.at(-1);
    if (last !== undefined) return last;
  }
  return undefined;
}

/** A place as a part of the picture, for an attribute. */
export function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(3)}%`;
}

function turnOf({ action, direction, delta_x, delta_y }: Action): number | undefined {
  if (action !== 'scroll') return undefined;
  if (typeof direction === 'string') return TURNS[direction];
  const [x, y] = [Number(delta_x ?? 0), Number(delta_y ?? 0)];
  return x === 0 && y === 0 ? undefined : (Math.atan2(x, -y) * 180) / Math.PI;
}

function place(action: Action, x: string, y: string): Point | undefined {
  return pair([action[x], action[y]]);
}

function pair(value: unknown): Point | undefined {
  const [x, y] = Array.isArray(value) ? value : [];
  return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : undefined;
}
