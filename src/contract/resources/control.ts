import { z } from 'zod';
import { flag, Timestamp } from '../primitives.js';

/** Who alone gives input to a computer. */
export const Control = z
  .object({
    holder: z
      .object({
        key_id: z
          .string()
          .meta({ description: 'Id of the API key.', examples: ['key_4d9s1x7f3k2m9q4w8e1r'] }),
        key_name: z
          .string()
          .nullable()
          .meta({ description: 'Name of the API key.', examples: ['laptop'] }),
        session: z
          .boolean()
          .describe('A session of the web page has it, not every request of the key.'),
      })
      .describe('Who has it.'),
    since: Timestamp.describe('When it was taken.'),
    expires_at: Timestamp.describe('When it ends without a sign of its holder.'),
  })
  .meta({ id: 'Control', description: 'Who alone gives input to a computer.' });

export const TakeControl = z
  .object({
    force: flag()
      .default(false)
      .describe('Takes it from another holder; needs the right `manage` or the same key.'),
  })
  .meta({ id: 'TakeControl', description: 'How to take control.' });

export const ControlState = z
  .object({
    control: Control.nullable().describe('Who has control; null if nobody has it alone.'),
    is_mine: z.boolean().describe('Whether this client has it.'),
  })
  .meta({ id: 'ControlState', description: 'Who has control of a computer.' });

export type Control = z.infer<typeof Control>;
export type ControlState = z.infer<typeof ControlState>;
