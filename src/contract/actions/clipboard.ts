import { z } from 'zod';
import { text } from '../primitives.js';

const noNul = (value: string) => !value.includes('\0');

export const Clipboard = z
  .object({
    text: z.string().meta({
      description: 'Empty if nothing, or something else than a text, has been copied.',
      examples: ['hello'],
    }),
  })
  .meta({ id: 'Clipboard', description: 'The text of the clipboard.' });

export const SetClipboard = z
  .object({
    text: text(250_000)
      .refine(noNul, 'must have no NUL')
      .meta({ description: 'Any Unicode text without NUL.', examples: ['hello'] }),
  })
  .meta({ id: 'SetClipboard', description: 'A text for the clipboard.' });
