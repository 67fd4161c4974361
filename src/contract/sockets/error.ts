import { z } from 'zod';

/** The last message of a WebSocket on which something failed. */
export const SocketError = z
  .object({
    type: z.literal('error').describe('Kind of the message.'),
    code: z.string().meta({
      description: 'The code of the error, as in the header `x-error-code`.',
      examples: ['guest_failed'],
    }),
    error: z.string().meta({
      description: 'What went wrong and where, in one line.',
      examples: ['Nothing listens on port 8080 of the computer.'],
    }),
    remedy: z
      .string()
      .optional()
      .meta({ description: 'What to do next.', examples: ['Start the server first.'] }),
  })
  .describe('Something failed.');
