import { z } from 'zod';
import { MAX_TRAJECTORY_SECONDS, TRAJECTORY_ENDS } from '../constants.js';
import { integer, queryNumber, Timestamp } from '../primitives.js';

export const StartTrajectory = z
  .object({
    max_seconds: integer(1, MAX_TRAJECTORY_SECONDS)
      .default(3600)
      .describe('Seconds after which it ends by itself.'),
    snapshots: z
      .object(
        {
          every: integer(1, 1000).describe(
            'After how many steps the next snapshot is made: those after steps 10, 20 and so on are named `step-10`, `step-20`.',
          ),
        },
        { error: 'must be an object such as {"every": 10}' },
      )
      .optional()
      .meta({
        description:
          'Saves the computer after steps, so that copies continue from there; needs the right `manage`. An action is answered when its snapshot is complete.',
        examples: [{ every: 10 }],
      }),
  })
  .meta({ id: 'StartTrajectory', description: 'How long to record actions, and what to save.' });

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
    started_by: z
      .string()
      .nullable()
      .meta({ description: 'Name of the API key that started it.', examples: ['agent'] }),
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
    snapshots: count('Snapshots of the computer that were made since its start.', 1).optional(),
    snapshot_error: z
      .string()
      .optional()
      .meta({
        description: 'Why a snapshot could not be made; no other is tried.',
        examples: ['The computer "desktop" has 100 snapshots, which is the limit.'],
      }),
  })
  .meta({ id: 'Trajectory', description: 'The recorded actions of a computer.' });

export const TrajectoryStepsQuery = z.object({
  offset: queryNumber(integer(0, 1_000_000_000))
    .default(0)
    .describe('Where to begin: the `next_offset` of the page before.'),
  limit: queryNumber(integer(1, 500))
    .default(100)
    .describe('Most steps; a page with long ones has fewer.'),
});

const seconds = (description: string, example: number) =>
  z.number().meta({ description, examples: [example] });
const picture = (when: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `The screen ${when}; null if unknown.`, examples: ['pictures/0001.png'] });

export const TrajectoryStep = z
  .object({
    step: count('Number of the step.', 1),
    at: seconds('Seconds since the start of the recording.', 2.418),
    took: seconds('Seconds that it took.', 0.062),
    action: z.record(z.string(), z.unknown()).meta({
      description: 'The action as in a batch.',
      examples: [{ action: 'click', x: 640, y: 400, button: 'left', clicks: 1 }],
    }),
    outcome: z.string().meta({ description: '`ok`, `failed` or an error code.', examples: ['ok'] }),
    before: picture('before'),
    after: picture('after'),
  })
  .meta({ id: 'TrajectoryStep', description: 'A recorded action.' });

export const TrajectorySteps = z
  .object({
    trajectory: Trajectory.nullable().describe('Null if nothing was recorded.'),
    steps: z.array(TrajectoryStep).describe('In the order in which they ended.'),
    next_offset: count('The `offset` at which to continue.', 482),
  })
  .meta({ id: 'TrajectorySteps', description: 'Some steps of a trajectory.' });

export type StartTrajectory = z.output<typeof StartTrajectory>;
export type Trajectory = z.infer<typeof Trajectory>;
export type TrajectoryStepsQuery = z.output<typeof TrajectoryStepsQuery>;
export type TrajectoryStep = z.infer<typeof TrajectoryStep>;
export type TrajectorySteps = z.infer<typeof TrajectorySteps>;
