import { z } from 'zod';
import { MAX_TRAJECTORY_SECONDS, TRAJECTORY_ENDS } from '../constants.js';
import { integer, Timestamp } from '../primitives.js';

export const StartTrajectory = z
  .object({
    max_seconds: integer(1, MAX_TRAJECTORY_SECONDS)
      .default(3600)
      .describe('Seconds after which it ends by itself.'),
  })
  .meta({ id: 'StartTrajectory', description: 'How long to record actions.' });

const count = (description: string, example: number) =>
  z
    .number()
    .int()
    .meta({ description, examples: [example] });

export const Trajectory = z
  .object({
    id: z
      .string()
      .meta({ description: 'Id of the trajectory.', examples: ['trj_8s1x7f3k2m9q4w8e1r6t'] }),
    status: z.enum(['recording', 'ended']).describe('Whether actions are still recorded.'),
    started_at: Timestamp.describe('When the recording started.'),
    ended_at: Timestamp.nullable().describe('When the recording ended; null while it runs.'),
    end_reason: z
      .enum(TRAJECTORY_ENDS)
      .nullable()
      .describe(
        'What ended it: a `request`, its `limit` of time, steps, size or free disk, the end of the `key` that started it, the stop of the `computer`, the end of the `service`, or a `failure` to write it. Null while it runs.',
      ),
    message: z
      .string()
      .optional()
      .meta({
        description: 'More about the end.',
        examples: ['The trajectory has 10000 steps, which is the limit.'],
      }),
    steps: count('Actions so far.', 12),
    pictures: count('Different pictures so far.', 9),
    bytes: count('Size of the files so far.', 1_200_000),
  })
  .meta({ id: 'Trajectory', description: 'The recorded actions of a computer.' });

export type StartTrajectory = z.output<typeof StartTrajectory>;
export type Trajectory = z.infer<typeof Trajectory>;
