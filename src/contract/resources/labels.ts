import { z } from 'zod';
import { LABEL_KEY, LABEL_SELECTOR, LABEL_VALUE, MAX_LABELS } from '../constants.js';

const KEY = 'must have names of 1 to 63 letters, digits, ".", "_", "/" or "-"';
const VALUE = 'must be at most 63 letters, digits, ".", "_", "/" or "-"';
const OBJECT = 'must be an object of texts, such as {"team": "qa"}';
const MANY = `must have at most ${MAX_LABELS} labels`;

const isFew = (labels: object) => Object.keys(labels).length <= MAX_LABELS;
const Key = z.string().regex(LABEL_KEY);
const Value = z.string({ error: VALUE }).regex(LABEL_VALUE, VALUE);
const error = ({ code }: { readonly code?: string }) => (code === 'invalid_key' ? KEY : OBJECT);

/** Labels by name. */
export const Labels = z
  .record(Key, Value, { error })
  .refine(isFew, MANY)
  .meta({
    description: `Labels by name, at most ${MAX_LABELS}, to select computers by.`,
    examples: [{ team: 'qa' }],
  });

/** Labels to add, to change, and with null to remove. */
export const LabelChanges = z
  .record(Key, Value.nullable(), { error })
  .refine(isFew, MANY)
  .meta({
    description: 'Labels to add or change; null removes one. Others stay as they are.',
    examples: [{ team: 'qa', stage: null }],
  });

const SELECTOR = 'must be NAME=VALUE, or NAME for any value';

/** Conditions that all have to be met. */
export const LabelSelector = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z
      .array(z.string({ error: SELECTOR }).regex(LABEL_SELECTOR, SELECTOR), { error: SELECTOR })
      .max(MAX_LABELS, `must be given at most ${MAX_LABELS} times`),
  )
  .optional()
  .meta({
    description: 'Only computers with this label: `NAME=VALUE`, or `NAME`; repeatable.',
    examples: [['team=qa']],
  });
