import { z } from 'zod';
import { MOST_RUNNING, ROLES } from './constants.js';
import { integer, OwnerName, queryFlag, Timestamp } from './primitives.js';
import { CreatedKey } from './resources.js';

/** A user of the service, with projects and API keys of its own. */
export const Owner = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  /** `deleting`: its keys are gone, its computers are being removed. */
  status: z.enum(['active', 'deleting']),
  /** Null takes the service's limit. */
  max_running: z.number().int().nullable(),
  running: z.number().int(),
  project_count: z.number().int(),
  computer_count: z.number().int(),
  created_at: Timestamp,
  /** Id of the key that created it; null for the first one. */
  created_by: z.string().nullable(),
});

const MaxRunning = integer(1, MOST_RUNNING).nullable();

export const CreateOwner = z.object({ name: OwnerName, max_running: MaxRunning.default(null) });
/** Changes of an owner; omitted fields keep their values. */
export const UpdateOwner = z.object({ max_running: MaxRunning.optional() });
/** Its first key is the only one whose text is ever shown. */
export const CreatedOwner = Owner.extend({ key: CreatedKey });

/** Without `force=1` an owner that has projects is not deleted. */
export const DeleteOwnerQuery = z.object({ force: queryFlag('0') });

export type Owner = z.infer<typeof Owner>;
export type CreateOwner = z.infer<typeof CreateOwner>;
export type UpdateOwner = z.infer<typeof UpdateOwner>;
export type CreatedOwner = z.infer<typeof CreatedOwner>;
