import { z } from 'zod';
import type { Json } from '../operations/operation.js';
import { JSON_TYPE } from '../primitives.js';

const PREFIX = '#/components/schemas/';

/** A reference to a named schema. */
export const refTo = (name: string): Json => ({ $ref: `${PREFIX}${name}` });

/** Converts schemas of the contract to JSON Schema, and collects those that have a name. */
export class SchemaCollection {
  readonly #named = new Map<string, Json>();
  /** Names of schemas that are also used where further fields are possible. */
  readonly #open = new Set<string>();

  /** An example of a value of the schema. */
  exampleOf(schema: Json): unknown {
    return exampleOf(schema, Object.fromEntries(this.#named));
  }

  /** By name, sorted. */
  get named(): Json {
    const sorted = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sorted.map(([name, schema]) => [name, this.#open.has(name) ? opened(schema) : schema]),
    );
  }

  /**
   * The schema, or a reference to it if it has a name. `input` and `exact` are what a client sends; of
   * `exact` fields that it does not have are refused.
   */
  add(schema: z.ZodType, use: 'input' | 'exact' | 'output'): Json {
    const isExact = use === 'exact';
    const document = z.toJSONSchema(schema, {
      io: isExact ? 'input' : use,
      unrepresentable: 'any',
      override: (converted) => override(converted, isExact),
    });
    const text = JSON.stringify(document).replaceAll('"#/$defs/', `"${PREFIX}`);
    const { $schema: _, $defs = {}, ...root } = JSON.parse(text) as Json & { $defs?: Json };
    for (const [name, named] of Object.entries($defs)) {
      this.#name(name, named as Json);
      if (!isExact) this.#open.add(name);
    }
    return root;
  }

  #name(name: string, schema: Json): void {
    const known = this.#named.get(name);
    if (known !== undefined && !isSame(opened(known), opened(schema))) {
      throw new Error(`two different schemas have the name ${name}`);
    }
    this.#named.set(name, schema);
  }
}

function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The schema with possible further fields, at any depth. */
function opened(schema: Json): Json {
  const text = JSON.stringify(schema, (name, value) =>
    name === 'additionalProperties' && value === false ? undefined : value,
  );
  return JSON.parse(text) as Json;
}

interface Converted {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** Removes what says nothing to a reader, or too much: an answer may get further fields. */
function override({ zodSchema, jsonSchema }: Converted, isExact: boolean): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (isExact && jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false;
  // Of a tuple, whose length is given. Some programs read only this, and want no `false`.
  const [first] = jsonSchema.prefixItems ?? [];
  if (typeof first === 'object') jsonSchema.items = { type: first.type };
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  // zod leaves out those of a value that is transformed; here they are also possible as input.
  const examples = z.globalRegistry.get(zodSchema)?.examples;
  if (Array.isArray(examples)) jsonSchema.examples ??= examples;
  const { def } = zodSchema._zod;
  if (def.type === 'default')
    jsonSchema.default ??= def.defaultValue as z.core.JSONSchema.JSONSchema;
  if (def.type === 'nullable') {
    const description = z.globalRegistry.get(def.innerType)?.description;
    if (description !== undefined) jsonSchema.description ??= description;
  }
  const type = jsonSchema[JSON_TYPE];
  if (type !== undefined) {
    delete jsonSchema[JSON_TYPE];
    delete jsonSchema.anyOf;
    jsonSchema.type = type as 'boolean';
  }
}

/**
 * The example of the schema, or else the required properties with theirs, or the first one if none is
 * required. Undefined if it has none.
 */
export function exampleOf(schema: Json, named: Json): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (typeof schema.$ref === 'string') {
    return exampleOf(named[schema.$ref.split('/').at(-1) ?? ''] as Json, named);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === 'boolean') return false;
  if (schema.type === 'array') {
    const item = exampleOf(schema.items as Json, named);
    return item === undefined ? [] : [item];
  }
  if (schema.type === 'object') return exampleOfObject(schema, named);
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []) as Json[];
  return choice && exampleOf(choice, named);
}

function exampleOfObject(
  { properties = {}, required = [], anyOf = [], oneOf = anyOf }: Json,
  named: Json,
): unknown {
  const [first] = Object.keys(properties as object);
  const [choice] = oneOf as { readonly required: readonly string[] }[];
  const needed = [...(required as readonly string[]), ...(choice?.required ?? [])];
  const names = needed.length > 0 ? needed : [first];
  const fields = Object.entries(properties as Record<string, Json>)
    .filter(([name]) => names.includes(name))
    .map(([name, property]) => [name, exampleOf(property, named)]);
  return Object.fromEntries(fields);
}
