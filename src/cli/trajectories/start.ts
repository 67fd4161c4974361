import type { BodyInput } from '../../contract/types/index.js';
import { value } from '../framework/define.js';
import { number } from '../input/parse.js';

export const snapshotEveryOption = value(
  '--snapshot-every <n>',
  'make the snapshot step-N after each n steps',
  number({ min: 1, max: 1000, unit: 'steps' }),
);

/** What is recorded, of the options of a command. */
export function startBody(
  seconds: number | undefined,
  every: number | undefined,
): NonNullable<BodyInput<'startTrajectory'>> {
  return {
    ...(seconds !== undefined && { max_seconds: seconds }),
    ...(every !== undefined && { snapshots: { every } }),
  };
}
