import { z } from 'zod';
import { Timestamp, text } from '../primitives.js';

/** Characters of a secret at most. */
const MAX_VALUE = 10_000;

const WRONG_NAME = 'must be 1 to 64 letters, digits, "_" or "-"';

/** 1 to 64 letters, digits, `_`, `-`. */
export const SecretName = z
  .string({ error: WRONG_NAME })
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: WRONG_NAME, abort: true })
  .meta({ description: 'Unique in its project.', examples: ['SHOP_PASSWORD'] });

/** The secrets that the texts of a request may contain. */
export const AllowedSecrets = z
  .array(SecretName, { error: 'must be a list of names of secrets' })
  .max(100, 'must have at most 100 names')
  .meta({
    description:
      'Names of secrets of the project that may be typed: `{{secret:NAME}}` in a text stands for the value. Without it none may be.',
    examples: [['SHOP_PASSWORD']],
  });

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

export const SetSecret = z
  .object({
    value: text(MAX_VALUE)
      .min(1, 'must not be empty')
      .refine((value) => !CONTROL.test(value), 'must have no control characters')
      .meta({
        description:
          'Stored encrypted and never shown again. Without control characters, except newlines and tabs.',
        examples: ['s3cret'],
      }),
  })
  .meta({ id: 'SetSecret', description: 'The value of a secret.' });

export const Secret = z
  .object({
    name: SecretName,
    created_at: Timestamp.describe('When the secret was created.'),
    updated_at: Timestamp.describe('When its value was last set.'),
  })
  .meta({ id: 'Secret', description: 'A secret of a project, without its value.' });

export const SecretList = z
  .object({ secrets: z.array(Secret).describe('Sorted by name.') })
  .meta({ id: 'SecretList', description: 'Secrets of a project, without their values.' });

export type SetSecret = z.output<typeof SetSecret>;
export type Secret = z.output<typeof Secret>;
