import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError, encodeRemedy } from '../../../contract/errors.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { FIRST_ISSUE } from '../../../contract/primitives.js';
import { beyond } from '../../../lib/json/bounds.js';
import { nearest } from '../../../lib/text/nearest.js';
import { cut } from '../../../lib/text/printable.js';
import { hasBody } from '../bodies.js';
import { NOTHING, type UnknownField, unknownFields } from './unknown-fields.js';

/** Of what neither an operation nor its request has. */
const NONE = { checked: { data: undefined }, unknown: [] };

/** Response header that names fields which were ignored. */
export const WARNING_HEADER = 'x-warning';

/** A longer name is no typing mistake. */
const LONGEST_NAME = 64;
/** Characters of a path that are shown. */
const MOST_PATH = 80;

/** Objects and items of lists that are searched for unknown fields, of a value that is wrong. */
const MOST_OBJECTS = 500;

/** A request's body and query, checked, with defaults filled in. */
export interface Input {
  readonly body: unknown;
  readonly query: unknown;
  /** For the header {@link WARNING_HEADER}: fields of a published operation that were ignored. */
  readonly warning: string | undefined;
}

/**
 * Reads what an operation takes. Fields that it does not have are refused, but ignored with a
 * warning where the operation is published: clients of other versions may send more.
 * @throws ApiError `invalid_request` names the field
 */
export function readInput(operation: Operation, request: FastifyRequest): Input {
  const isSent = hasBody(request.raw);
  const hasQuery = Object.keys(request.query as object).length > 0;
  // No body is an empty object; one that says null is wrong. Fastify has null for both.
  const given = isSent ? request.body : {};
  const body = operation.body || isSent ? read(operation.body ?? NOTHING, given, 'body') : NONE;
  const query =
    operation.query || hasQuery ? read(operation.query ?? NOTHING, request.query, 'query') : NONE;
  if (!operation.published) {
    refuseUnknown(body.unknown, 'body');
    refuseUnknown(query.unknown, 'query');
  }
  return {
    body: operation.body && accepted(body.checked),
    query: operation.query && accepted(query.checked),
    warning:
      body.unknown.length + query.unknown.length === 0
        ? undefined
        : warningOf([...body.unknown, ...query.unknown]),
  };
}

/** The value as the schema makes it. Also refuses fields that the schema does not have. */
export function validateExactly<S extends z.ZodType>(
  schema: S,
  value: unknown,
  where: 'body' | 'query',
): z.output<S> {
  const { checked, unknown } = read(schema, value, where);
  refuseUnknown(unknown, where);
  return accepted(checked);
}

/** Checks a value first: an accepted one has short lists, of another one only the beginning is searched. */
function read<S extends z.ZodType>(
  schema: S,
  value: unknown,
  where: 'body' | 'query',
): { checked: Checked<z.output<S>>; unknown: readonly UnknownField[] } {
  const checked = check(schema, value, where);
  const objects = 'error' in checked ? MOST_OBJECTS : Number.POSITIVE_INFINITY;
  return { checked, unknown: unknownFields(schema, value, objects) };
}

/** Throws an error that names the fields, unless there are none. */
function refuseUnknown(fields: readonly UnknownField[], where: 'body' | 'query'): void {
  const [first] = fields;
  if (first === undefined) return;
  const message = `The ${where} has no field ${fields.map(quoted).join(', ')}.`;
  const known = first.known.join(', ');
  throw new ApiError('invalid_request', message, {
    remedy: guess(first) ?? (known === '' ? 'Leave it out.' : `It takes: ${known}.`),
  });
}

function warningOf(fields: readonly UnknownField[]): string {
  return encodeRemedy(
    fields
      .map((field) => [`unknown field ${quoted(field)} was ignored`, guess(field)])
      .map((parts) => parts.filter((part) => part !== undefined).join('. '))
      .join('; '),
  );
}

function guess({ name, known }: UnknownField): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const meant = nearest(name, known);
  return meant === undefined ? undefined : `Did you mean "${meant}"?`;
}

function quoted({ path }: UnknownField): string {
  // Cut first: a name may have millions of characters.
  const shown = cut(path, MOST_PATH).toWellFormed();
  return JSON.stringify(shown.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?'));
}

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
  const first = schema.safeParse(value, FIRST_ISSUE);
  if (first.success) return { data: first.data };
  const result = beyond(value, ORDINARY) ? first : schema.safeParse(value);
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
