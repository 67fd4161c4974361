import { z } from 'zod';
import { MOST_RUNNING, MOST_STORAGE, ROLES } from './constants.js';
import { ComputerName, integer, OwnerName, queryFlag, Timestamp } from './primitives.js';
import { CreatedKey } from './resources.js';

/** A user of the service, with projects and API keys of its own. */
export const Owner = z
  .object({
    id: z.string().meta({ description: 'Id of the owner.', examples: ['usr_7f3k2m'] }),
    name: z.string().meta({ description: 'Name of the owner.', examples: ['alice@example.com'] }),
    role: z.enum(ROLES).describe('An `administrator` manages the owners of the service.'),
    status: z
      .enum(['active', 'deleting'])
      .describe('`deleting`: the keys are gone, the computers are being removed.'),
    max_running: z
      .number()
      .int()
      .nullable()
      .meta({
        description: "Computers that may run at once; null: the service's limit.",
        examples: [4],
      }),
    max_storage: z
      .number()
      .int()
      .nullable()
      .meta({
        description: "GB that snapshots, images and volumes may take; null: the service's limit.",
        examples: [50],
      }),
    running: z
      .number()
      .int()
      .meta({ description: 'Computers that are running.', examples: [1] }),
    storage_bytes: z
      .number()
      .int()
      .meta({ description: 'What snapshots, images and volumes take.', examples: [52428800] }),
    project_count: z
      .number()
      .int()
      .meta({ description: 'Number of projects.', examples: [2] }),
    computer_count: z
      .number()
      .int()
      .meta({ description: 'Number of computers, stopped ones included.', examples: [3] }),
    created_at: Timestamp.describe('When the owner was created.'),
    created_by: z
      .string()
      .nullable()
      .meta({
        description: 'Id of the key that created the owner; null for the first owner.',
        examples: ['key_4d9s1x'],
      }),
  })
  .meta({
    id: 'Owner',
    description: 'A user of the service, with projects and API keys of its own.',
  });

export const OwnerList = z
  .object({ owners: z.array(Owner).describe('Oldest first.') })
  .meta({ id: 'OwnerList', description: 'Owners of the service.' });

const MaxRunning = integer(1, MOST_RUNNING)
  .nullable()
  .meta({
    description: "Computers that may run at once; null: the service's limit.",
    examples: [4],
  });

const MaxStorage = integer(0, MOST_STORAGE)
  .nullable()
  .meta({
    description: "GB that snapshots, images and volumes may take; null: the service's limit.",
    examples: [50],
  });

export const CreateOwner = z
  .object({
    name: OwnerName,
    max_running: MaxRunning.default(null),
    max_storage: MaxStorage.optional(),
  })
  .meta({ id: 'CreateOwner', description: 'An owner to create.' });
export const UpdateOwner = z
  .object({ max_running: MaxRunning.optional(), max_storage: MaxStorage.optional() })
  .meta({ id: 'UpdateOwner', description: 'Changes; omitted fields keep their values.' });
/** Its first key is the only one whose text is ever shown. */
export const CreatedOwner = Owner.extend({ key: CreatedKey }).meta({
  id: 'CreatedOwner',
  description: 'The owner with its first API key.',
});

export const CreateOwnerKey = z
  .object({
    name: ComputerName.meta({ description: 'What the key is for.', examples: ['laptop'] }),
  })
  .meta({ id: 'CreateOwnerKey', description: 'An API key to create for an owner.' });

/** Without `force=1` an owner that has projects is not deleted. */
export const DeleteOwnerQuery = z.object({
  force: queryFlag('0').describe(
    'Also deletes the projects and computers, including protected ones.',
  ),
});

export type Owner = z.infer<typeof Owner>;
export type CreateOwner = z.infer<typeof CreateOwner>;
export type UpdateOwner = z.infer<typeof UpdateOwner>;
export type CreatedOwner = z.infer<typeof CreatedOwner>;
