import { z } from 'zod';
import { MOST_BUDGET, RIGHTS, ROLES } from '../constants.js';
import { ComputerName, integer, oneOfWords, Success, Timestamp } from '../primitives.js';

const KeyRights = oneOfWords(RIGHTS);
const RIGHTS_TEXT =
  '`look`: lists, states and screens. `act`: also uses computers and what is in them. `manage`: also creates, changes and deletes.';
const KeyProject = z
  .object({
    id: z
      .string()
      .meta({ description: 'Id of the project.', examples: ['prj_7f3k2m9q4w8e1r6t5y0b'] }),
    name: z.string().meta({ description: 'Name of the project.', examples: ['shop'] }),
  })
  .nullable()
  .describe('The only project that the key is for; null for all.');
const Moment = z.iso
  .datetime('must be a time in UTC such as "2027-01-31T00:00:00Z"')
  .max(64, 'must be at most 64 characters')
  .meta({ examples: ['2027-01-31T00:00:00.000Z'] });
const KeyExpiry = Timestamp.nullable().describe('When the key ends; null for never.');

const budget = (most: number, description: string, example: number) =>
  integer(1, most)
    .nullable()
    .meta({ description, examples: [example] });
/** What a key may use in all; null for no limit. */
const Budgets = {
  max_computers: budget(
    MOST_BUDGET.computers,
    'Computers that the key may create in all, deleted ones included; null for no limit.',
    20,
  ),
  max_hours: budget(
    MOST_BUDGET.hours,
    'Hours that the computers it has created may run, added up; null for no limit.',
    100,
  ),
  max_actions: budget(
    MOST_BUDGET.actions,
    'Actions of the key in the audit log; null for no limit.',
    5000,
  ),
};
/** Budgets with what was used of them since the key was created. */
const UsedBudgets = {
  ...Budgets,
  used: z
    .object({
      computers: z
        .number()
        .int()
        .meta({ description: 'Computers created.', examples: [3] }),
      hours: z.number().meta({ description: 'Hours in which they ran.', examples: [12.5] }),
      actions: z
        .number()
        .int()
        .meta({ description: 'Actions.', examples: [840] }),
    })
    .describe('What the key has used since it was created. Hours are counted once a minute.'),
};

export const Key = z
  .object({
    id: z.string().meta({ description: 'Id of the key.', examples: ['key_4d9s1x7f3k2m9q4w8e1r'] }),
    name: z.string().meta({ description: 'What the key is for.', examples: ['laptop'] }),
    prefix: z
      .string()
      .nullable()
      .meta({
        description: 'How the key begins; null if it is not known.',
        examples: ['vc_0123'],
      }),
    rights: KeyRights.describe(RIGHTS_TEXT),
    project: KeyProject,
    expires_at: KeyExpiry,
    created_at: Timestamp.describe('When the key was created.'),
    last_used_at: Timestamp.nullable().describe('When it was last used; null before that.'),
    created_by: z
      .string()
      .nullable()
      .meta({
        description: 'Id of the key that created it; null for the first key of an owner.',
        examples: ['key_9q4w8e1r4d9s1x7f3k2m'],
      }),
    ...UsedBudgets,
  })
  .meta({ id: 'Key', description: 'An API key, without its text.' });
export const KeyList = z
  .object({ keys: z.array(Key).describe('Oldest first.') })
  .meta({ id: 'KeyList', description: 'API keys of the owner.' });
export const CreateKey = z
  .object({
    name: ComputerName.meta({ description: 'What the key is for.', examples: ['laptop'] }),
    rights: KeyRights.default('manage').describe(RIGHTS_TEXT),
    project: z
      .string({ error: 'must be the name or id of a project' })
      .min(1, 'must be the name or id of a project')
      .max(64, 'must be the name or id of a project')
      .nullable()
      .default(null)
      .meta({
        description: 'Name or id of the only project that the key is for; null for all.',
        examples: ['shop'],
      }),
    expires_at: Moment.nullable().default(null).describe('When the key ends; null for never.'),
    max_computers: Budgets.max_computers.default(null),
    max_hours: Budgets.max_hours.default(null),
    max_actions: Budgets.max_actions.default(null),
  })
  .meta({ id: 'CreateKey', description: 'An API key to create.' });
export const UpdateKey = z
  .object({
    name: ComputerName.optional().meta({
      description: 'What the key is for.',
      examples: ['laptop'],
    }),
    rights: KeyRights.optional().describe(RIGHTS_TEXT),
    expires_at: Moment.nullable().optional().describe('When the key ends; null for never.'),
    max_computers: Budgets.max_computers.optional(),
    max_hours: Budgets.max_hours.optional(),
    max_actions: Budgets.max_actions.optional(),
  })
  .meta({ id: 'UpdateKey', description: 'Changes; omitted fields keep their values.' });
export const CreatedKey = Key.extend({
  key: z.string().meta({
    description: 'The text of the key. It is shown only once.',
    examples: ['vc_0123456789abcdefghjkmnpqrstvwxyz'],
  }),
}).meta({ id: 'CreatedKey', description: 'An API key with its text.' });

export const RemovedKey = Success.extend({
  made: z
    .array(
      z
        .object({
          id: z
            .string()
            .meta({ description: 'Id of the key.', examples: ['key_9q4w8e1r4d9s1x7f3k2m'] }),
          name: z.string().meta({ description: 'Name of the key.', examples: ['spare'] }),
          owner: z
            .string()
            .optional()
            .meta({
              description: 'Name of its owner, if that is another one, for whom it was made.',
              examples: ['alice'],
            }),
        })
        .describe('A key.'),
    )
    .describe('Keys that it had made, itself or through others, and that still work.'),
}).meta({ id: 'RemovedKey', description: 'The key was removed.' });

/** A key as a request or session uses it. */
export const KeyInUse = z.object({
  id: z.string().meta({ description: 'Id of the key.', examples: ['key_4d9s1x7f3k2m9q4w8e1r'] }),
  name: z.string().meta({ description: 'Name of the key.', examples: ['laptop'] }),
  rights: KeyRights.describe(RIGHTS_TEXT),
  project: KeyProject,
  expires_at: KeyExpiry,
  ...UsedBudgets,
});

/** The owner of a key, and how many computers it may run at once. */
export const Me = z
  .object({
    user_id: z
      .string()
      .meta({ description: 'Id of the owner.', examples: ['usr_9q4w8e1r6t5y0b7f3k2m'] }),
    name: z.string().meta({ description: 'Name of the owner.', examples: ['alice@example.com'] }),
    role: z.enum(ROLES).describe('An `administrator` manages the owners of the service.'),
    key: KeyInUse.describe('The API key of this request.'),
    running: z
      .number()
      .int()
      .meta({ description: 'Computers that run now.', examples: [1] }),
    max_running: z
      .number()
      .int()
      .meta({ description: 'Computers that may run at once.', examples: [2] }),
  })
  .meta({ id: 'Me', description: 'The owner of the API key.' });

export type Key = z.infer<typeof Key>;
export type CreateKey = z.infer<typeof CreateKey>;
export type UpdateKey = z.infer<typeof UpdateKey>;
export type CreatedKey = z.infer<typeof CreatedKey>;
export type RemovedKey = z.infer<typeof RemovedKey>;
export type Me = z.infer<typeof Me>;
