import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../src/contract/operations/operation.js';
import { operations } from '../../src/contract/operations.js';

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Paths of the texts and lists without a maximum. */
function unbounded(schema: Schema, path: string, defs: Schema['$defs']): string[] {
  const { $ref, properties, items, additionalProperties } = schema;
  const known = $ref === undefined ? undefined : defs?.[$ref.slice('#/$defs/'.length)];
  const others = [schema.anyOf, schema.oneOf, schema.prefixItems].flatMap((all) => all ?? []);
  const inner: (readonly [Schema | undefined, string])[] = [
    ...[known, ...others].map((one) => [one, path] as const),
    ...Object.entries(properties ?? {}).map(([name, one]) => [one, `${path}.${name}`] as const),
    [items, `${path}[]`],
    [additionalProperties, `${path}{}`],
  ];
  return [
    ...(isBounded(schema) ? [] : [path]),
    ...inner.flatMap(([one, where]) => (one ? unbounded(one, where, defs) : [])),
  ];
}

function isBounded({ type, pattern, ...schema }: Schema): boolean {
  if (type === 'array') return schema.maxItems !== undefined || schema.prefixItems !== undefined;
  if (type !== 'string' || schema.maxLength !== undefined) return true;
  if (schema.enum !== undefined || schema.const !== undefined) return true;
  return pattern !== undefined && /^\^.*\$$/.test(pattern) && !/[*+]|,\}/.test(pattern);
}

it('every text and list of a body has a maximum', () => {
  const found = Object.entries<Operation>(operations).flatMap(([name, { body }]) => {
    if (body === undefined) return [];
    const json = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema;
    return unbounded(json, name, json.$defs);
  });
  expect([...new Set(found)]).toEqual([]);
});
