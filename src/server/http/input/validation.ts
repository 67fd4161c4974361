import type { z } from 'zod';
import { ApiError } from '../../../contract/errors.js';
import { FIRST_ISSUE } from '../../../contract/primitives.js';
import { beyond } from '../../../lib/json/bounds.js';
import { cut } from '../../../lib/text/printable.js';

/** Characters of a field's path that an error repeats: it has names of the request. */
const MOST_FIELD = 200;

/** Of a larger value only the first mistake is named: each takes up to 20 microseconds. */
const ORDINARY = { levels: 64, values: 1_000, fields: 1_000 };

/** A value that was checked: as the schema makes it, or what is wrong with it. */
export type Checked<T> = { readonly data: T } | { readonly error: ApiError };

/**
 * The value as `schema` makes it: checked, defaults filled in, unknown fields dropped.
 * Throws ApiError `invalid_request` with one line that names each wrong field and what it allows.
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  where: 'body' | 'query',
): z.output<S> {
  return accepted(check(schema, value, where));
}

/** Like {@link validate}, but returns the error. */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  where: 'body' | 'query',
): Checked<z.output<S>> {
  const result = schema.safeParse(value, beyond(value, ORDINARY) ? FIRST_ISSUE : undefined);
  if (result.success) return { data: result.data };
  const lines = result.error.issues.slice(0, 5).map((issue) => describe(issue, value, where));
  return { error: new ApiError('invalid_request', `${[...new Set(lines)].join('; ')}.`) };
}

/** The value, or throws what is wrong with it. */
export function accepted<T>(checked: Checked<T>): T {
  if ('error' in checked) throw checked.error;
  return checked.data;
}

function describe(issue: z.core.$ZodIssue, value: unknown, where: 'body' | 'query'): string {
  const field = cut(issue.path.map(String).join('.'), MOST_FIELD);
  if (field === '') {
    return where === 'body'
      ? 'The body must be a JSON object'
      : `The query is wrong: ${issue.message}`;
  }
  return lookUp(value, issue.path) === undefined && issue.code !== 'custom'
    ? `${field} is missing: it ${issue.message}`
    : `${field} ${issue.message}`;
}

function lookUp(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
}
