import { z } from 'zod';
import {
  ELEMENT_ID,
  IMAGE_NAME,
  MOUSE_BUTTONS,
  PROJECT_ID,
  PROJECT_NAME,
  SNAPSHOT_NAME,
} from './constants.js';

/** 1 to 64 letters, digits, `_`, `-`; never like an id, which projects are addressed by as well. */
export const ProjectName = z
  .string({ error: 'must be a string' })
  .regex(PROJECT_NAME, 'must be 1 to 64 letters, digits, "_" or "-"')
  .refine((name) => name !== 'by-name', '"by-name" is reserved')
  .refine((name) => !PROJECT_ID.test(name), 'must not have the form of an id')
  .meta({
    description:
      'Unique among the projects of the owner; `by-name` and the form of an id are reserved.',
    examples: ['demo'],
  });

/** 1 to 64 letters, digits, `.`, `_`, `@`, `-`; never like an id. */
export const OwnerName = z
  .string({ error: 'must be a string' })
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/,
    'must be 1 to 64 letters, digits, ".", "_", "@" or "-", and begin with a letter or digit',
  )
  .refine((name) => !name.startsWith('usr_'), '"usr_" begins the ids of owners')
  .meta({
    description: 'Unique in the service; does not begin with `usr_`.',
    examples: ['alice@example.com'],
  });

/** At most 128 characters. Those of a text of megabytes, which would take seconds, are not counted. */
function isShort(name: string): boolean {
  return name.length <= 256 && [...name].length <= 128;
}

/** Free text of 1 to 128 characters without control characters. */
export const ComputerName = z
  .string({ error: 'must be a string' })
  .refine((name) => name.length >= 1 && isShort(name), 'must be 1 to 128 characters')
  .refine(
    (name) => !isShort(name) || !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name),
    'must have no control characters',
  )
  .refine((name) => !isShort(name) || name.trim().length > 0, 'must not be blank')
  .meta({
    minLength: 1,
    maxLength: 128,
    description: 'Free text without control characters, unique in its project.',
    examples: ['desktop'],
  });

/** 1 to 63 of a-z, 0-9, `.`, `_`, `-`. */
export const ImageName = z
  .string({ error: 'must be the name of an image' })
  .regex(IMAGE_NAME, 'must be the name of an image: 1 to 63 of a-z, 0-9, ".", "_", "-"')
  .meta({ examples: ['browser-ready'] });

/** 1 to 63 letters, digits, `.`, `_`, `-`. */
export const SnapshotName = z
  .string({ error: 'must be the name of a snapshot' })
  .regex(
    SNAPSHOT_NAME,
    'must be the name of a snapshot: 1 to 63 letters, digits, ".", "_", "-", and begin with a letter or digit',
  )
  .meta({ examples: ['clean'] });

/** The answer of an operation that has nothing else to tell. */
export const Success = z
  .object({ success: z.literal(true).describe('Always true; an error has another status.') })
  .meta({ id: 'Success', description: 'The operation was carried out.' });

/** A moment in UTC, as in RFC 3339. */
export const Timestamp = z.iso.datetime().meta({ examples: ['2026-11-22T11:03:07.603Z'] });

/** A number of pixels from the left or top edge; fractions are rounded. */
export const Coordinate = z
  .number({ error: 'must be a number of pixels' })
  .finite()
  .transform((value) => Math.round(value))
  .meta({ examples: [640] });

/**
 * Options of a check that ends at the first wrong item or field, where each further issue would cost
 * 20 microseconds. Issues that end it are a wrong type, and those of checks with `abort: true`. An
 * internal option of zod, which its `validate()` sets.
 */
export const FIRST_ISSUE: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

/**
 * A schema that takes what `isRight` does, at a tenth of the cost of `schema`, which says what is
 * wrong with another value.
 */
export function quick<T>(isRight: (value: unknown) => boolean, schema: z.ZodType): z.ZodType<T, T> {
  return (z.unknown() as z.ZodType<T, T>).check(({ value, issues }) => {
    if (isRight(value)) return;
    const { error } = schema.safeParse(value);
    issues.push(...((error?.issues ?? []) as z.core.$ZodRawIssue[]));
  });
}

/** An object, and no array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON object whose fields are not read: `z.record()` would check and copy each. */
export const JsonObject = quick<Record<string, unknown>>(
  isRecord,
  z.record(z.string(), z.unknown()),
).meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} });

/** A word of a closed set, with a message that names the set. */
export function oneOfWords<const Words extends readonly [string, ...string[]]>(words: Words) {
  const quoted = words.map((word) => `"${word}"`);
  return z.enum(words, { error: `must be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` });
}

export const MouseButton = oneOfWords(MOUSE_BUTTONS).describe('The mouse button.');

export const ModifierKeys = z
  .array(z.string({ error: 'must be a key name' }).max(100, 'must be at most 100 characters'), {
    error: 'must be a list of key names',
  })
  .max(4, 'must have at most 4 keys')
  .meta({
    description: 'Names of keys that are held down during the action.',
    examples: [['ctrl']],
  });

/** Id of an element of the screen, which is valid while the element exists. */
export const ElementId = z
  .string({ error: 'must be the id of an element' })
  .max(400, 'must be the id of an element')
  .regex(ELEMENT_ID, 'must be the id of an element, such as 2c6e3adb-1.8-72')
  .meta({ examples: ['2c6e3adb-1.8-72'] });

/** An integer of a closed set, with a message that names the set. */
export function oneOf<const Values extends readonly [number, ...number[]]>(
  values: Values,
  unit: string,
) {
  return z.literal([...values] as Values[number][], {
    error: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)} (${unit})`,
  });
}

/** Metadata of an object that has exactly one of these fields, or groups of fields. */
export const exactlyOne = (...fields: readonly (string | string[])[]) => ({
  oneOf: fields.map((names) => ({ required: [names].flat() })),
});

/** Metadata of an object that has at least one of these fields. */
export const atLeastOne = (...fields: readonly string[]) => ({
  anyOf: fields.map((name) => ({ required: [name] })),
});

/** An integer from `min` to `max`, with a message that names both. */
export function integer(min: number, max: number) {
  const error = `must be an integer from ${min} to ${max}`;
  return z.number({ error }).int(error).min(min, error).max(max, error);
}

/** A number from `min` to `max` in `unit`, with a message that names them. */
export function quantity(min: number, max: number, unit: string) {
  const error = `must be a number from ${min} to ${max} (${unit})`;
  return z.number({ error }).min(min, error).max(max, error);
}

/**
 * Key of a schema's metadata: the JSON type to document where the service also takes other
 * notations, such as `1` for true.
 */
export const JSON_TYPE = 'x-json-type';

const NOT_BOOLEAN = 'must be true or false, 1 or 0';
/** A yes or no of a query, which arrives as text: `1`, `0`, `true` or `false`, in any case. */
export const QueryBoolean = z
  .union([z.boolean(), z.string().regex(/^(0|1|true|false)$/i, NOT_BOOLEAN)], {
    error: NOT_BOOLEAN,
  })
  .transform((value) => value === true || value === '1' || /^true$/i.test(String(value)))
  .meta({ [JSON_TYPE]: 'boolean' });

export function queryFlag(otherwise: '0' | '1') {
  return QueryBoolean.default(otherwise === '1');
}

/** Words of a query: with commas between, or the parameter several times. */
export function queryWords<const Words extends readonly [string, ...string[]]>(words: Words) {
  const error = `must be one or more of ${words.join(', ')}, with commas between`;
  return z.preprocess(
    (given) =>
      [given].flat().flatMap((text) => {
        return typeof text === 'string' ? text.split(',').map((word) => word.trim()) : [text];
      }),
    // One error for the whole list.
    quick<Words[number][]>(
      (given) => Array.isArray(given) && given.every((word) => words.includes(word)),
      z.never({ error }),
    ).meta({ type: 'array', items: { type: 'string', enum: words } }),
  );
}

/** A number of a query, which arrives as text. */
export const queryNumber = (schema: z.ZodType<number, number>) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    schema,
  );

export function flag() {
  return z.boolean({ error: 'must be true or false' });
}

/** A text with at most `max` UTF-16 units; `max()` alone counts code points, of up to two units. */
export function upTo(max: number, schema = z.string()) {
  const error = `must be at most ${max} characters`;
  return schema.max(max, { error, abort: true }).refine((value) => value.length <= max, {
    error,
    abort: true,
  });
}

/** Text of at most `max` UTF-16 units; lone surrogates have no meaning anywhere and are refused. */
export function text(max: number) {
  return upTo(max, z.string({ error: 'must be a string' })).refine(
    (value) => value.isWellFormed(),
    { error: 'must be well-formed Unicode (a surrogate is unpaired)', abort: true },
  );
}
