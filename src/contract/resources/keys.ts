import { z } from 'zod';
import { ROLES } from '../constants.js';
import { ComputerName, Timestamp } from '../primitives.js';

export const Key = z
  .object({
    id: z.string().meta({ description: 'Id of the key.', examples: ['key_4d9s1x7f3k2m9q4w8e1r'] }),
    name: z.string().meta({ description: 'What the key is for.', examples: ['laptop'] }),
    created_at: Timestamp.describe('When the key was created.'),
    last_used_at: Timestamp.nullable().describe('When it was last used; null before that.'),
    created_by: z
      .string()
      .nullable()
      .meta({
        description:
          'Id of the key that created it; null for the first key and those of earlier versions.',
        examples: ['key_9q4w8e1r4d9s1x7f3k2m'],
      }),
  })
  .meta({ id: 'Key', description: 'An API key, without its text.' });
export const KeyList = z
  .object({ keys: z.array(Key).describe('Oldest first.') })
  .meta({ id: 'KeyList', description: 'API keys of the owner.' });
export const CreateKey = z
  .object({
    name: ComputerName.meta({ description: 'What the key is for.', examples: ['laptop'] }),
  })
  .meta({ id: 'CreateKey', description: 'An API key to create.' });
export const CreatedKey = Key.extend({
  key: z.string().meta({
    description: 'The text of the key. It is shown only once.',
    examples: ['vc_0123456789abcdefghjkmnpqrstvwxyz'],
  }),
}).meta({ id: 'CreatedKey', description: 'An API key with its text.' });

/** Who a key belongs to, and what its owner may run at once. */
export const Me = z
  .object({
    user_id: z
      .string()
      .meta({ description: 'Id of the owner.', examples: ['usr_9q4w8e1r6t5y0b7f3k2m'] }),
    name: z.string().meta({ description: 'Name of the owner.', examples: ['alice@example.com'] }),
    role: z.enum(ROLES).describe('An `administrator` manages the owners of the service.'),
    key: z
      .object({
        id: z
          .string()
          .meta({ description: 'Id of the key.', examples: ['key_4d9s1x7f3k2m9q4w8e1r'] }),
        name: z.string().meta({ description: 'Name of the key.', examples: ['laptop'] }),
      })
      .describe('The API key of this request.'),
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
export type CreatedKey = z.infer<typeof CreatedKey>;
export type Me = z.infer<typeof Me>;
