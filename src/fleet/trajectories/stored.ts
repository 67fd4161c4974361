import { z } from 'zod';
import { TRAJECTORY_ENDS } from '../../contract/constants.js';
import type { Trajectory } from '../../contract/resources.js';

/** What the service keeps about a trajectory. */
export const Stored = z.object({
  id: z.string(),
  owner_id: z.string(),
  computer_id: z.string(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  end_reason: z.enum(TRAJECTORY_ENDS).nullable(),
  message: z.string().optional(),
  steps: z.number(),
  pictures: z.number(),
  bytes: z.number(),
});
export type Stored = z.infer<typeof Stored>;

/** As owners see it. */
export function shown({ owner_id, computer_id, ...stored }: Stored): Trajectory {
  return { ...stored, status: stored.ended_at === null ? 'recording' : 'ended' };
}
