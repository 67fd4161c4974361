import { z } from 'zod';
import { TRAJECTORY_ENDS } from '../../contract/constants.js';
import type { Trajectory } from '../../contract/resources.js';
import { generateId } from '../computers/ids.js';
import type { ComputerRecord } from '../store/records.js';

/** What the service keeps about a trajectory. */
export const Stored = z.object({
  id: z.string(),
  owner_id: z.string(),
  computer_id: z.string(),
  started_at: z.string(),
  started_by: z.string().nullable().default(null),
  ended_at: z.string().nullable(),
  end_reason: z.enum(TRAJECTORY_ENDS).nullable(),
  message: z.string().optional(),
  steps: z.number(),
  pictures: z.number(),
  bytes: z.number(),
  snapshots: z.number().optional(),
  snapshot_error: z.string().optional(),
});
export type Stored = z.infer<typeof Stored>;

/** The state of one that begins. */
export function newlyStored(
  { id, owner_id }: Pick<ComputerRecord, 'id' | 'owner_id'>,
  started_by: string | null,
): Stored {
  return {
    id: generateId('trj'),
    owner_id,
    computer_id: id,
    started_by,
    started_at: new Date().toISOString(),
    ended_at: null,
    end_reason: null,
    steps: 0,
    pictures: 0,
    bytes: 0,
  };
}

/** As owners see it. */
export function shown({ owner_id, computer_id, ...stored }: Stored): Trajectory {
  return { ...stored, status: stored.ended_at === null ? 'recording' : 'ended' };
}
