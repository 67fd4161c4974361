import { UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { readScript } from '../input/script/script.js';

/** A field of a request body: where it belongs and its text. */
export interface Field {
  /** The names of `a[b][]`: `a`, `b` and an empty one, which appends to a list. */
  readonly keys: readonly string[];
  readonly text: string;
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** Parses `name=value`, `name[inner]=value` or `name[]=value`. */
export function field(text: string): Field {
  const [, name = '', inner = '', value = ''] =
    /^([^=[\]]+)((?:\[[^=[\]]*\])*)=([\s\S]*)$/.exec(text) ?? [];
  if (name === '') {
    throw new UsageError(`must be NAME=VALUE, NAME[INNER]=VALUE or NAME[]=VALUE`);
  }
  const keys = [name, ...[...inner.matchAll(/\[([^\]]*)\]/g)].map(([, key = '']) => key)];
  if (keys.includes('__proto__')) throw new UsageError('a field cannot be named __proto__');
  return { keys, text: value };
}

/**
 * The value of a typed field: true, false, null and numbers are what they say, `@FILE` is the text
 * of a file, `@-` that of stdin, anything else a string.
 */
export async function typedValue(context: Context, text: string): Promise<Json> {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  if (!text.startsWith('@')) return text;
  return readScript(context, text.slice(1));
}

/** Builds the object of the fields, in their order. Throws UsageError for fields that contradict. */
export function fieldsObject(fields: readonly (Pick<Field, 'keys'> & { readonly value: Json })[]): {
  [name: string]: Json;
} {
  const root: { [name: string]: Json } = {};
  for (const { keys, value } of fields) place(root, keys, value, keys.join('.'));
  return root;
}

function place(into: Json, keys: readonly string[], value: Json, name: string): void {
  const [key = '', ...rest] = keys;
  if (Array.isArray(into) && key === '') {
    const last = into.at(-1);
    // `a[][x]=1 a[][y]=2` is one object, `a[][x]=1 a[][x]=2` are two.
    const isNext =
      rest.length > 0 && isObject(last) && !(rest.length === 1 && (rest[0] ?? '') in last);
    const item = rest.length === 0 ? value : isNext ? last : empty(rest);
    if (!isNext) into.push(item);
    if (rest.length > 0) place(item, rest, value, name);
    return;
  }
  if (!isObject(into) || key === '') throw new UsageError(`the fields of ${name} contradict`);
  if (rest.length === 0) {
    if (Object.hasOwn(into, key)) throw new UsageError(`the field ${name} is given twice`);
    into[key] = value;
    return;
  }
  const inner = into[key] ?? empty(rest);
  into[key] = inner;
  place(inner, rest, value, name);
}

/** What the next key belongs into. */
function empty([next]: readonly string[]): Json {
  return next === '' ? [] : {};
}

function isObject(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
