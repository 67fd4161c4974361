import type { StepAction } from './read.js';

/** A point of the screen, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The points of the screen that an action is about: where it clicks, or where a drag starts. */
export function pointsOf(action: StepAction): Point[] {
  const pairs = [
    ['x', 'y'],
    ['start_x', 'start_y'],
  ] as const;
  return pairs.flatMap(([one, other]) => {
    const [x, y] = [action[one], action[other]];
    return typeof x === 'number' && typeof y === 'number' ? [{ x, y }] : [];
  });
}
