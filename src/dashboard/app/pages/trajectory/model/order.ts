import type { TrajectoryStep } from '../../../api/types.js';

/** A step that took long is written after those that began later. */
export function inOrder(
  known: readonly TrajectoryStep[],
  more: readonly TrajectoryStep[],
): readonly TrajectoryStep[] {
  if (more.length === 0) return known;
  return [...known, ...more].sort((one, other) => one.step - other.step);
}

/** The last of the steps, from `at` on, that has begun by a time. */
export function lastDue(steps: readonly TrajectoryStep[], at: number, time: number): number {
  let due = at;
  for (let next = steps[due + 1]; next !== undefined && next.at <= time; next = steps[due + 1]) {
    due += 1;
  }
  return due;
}
