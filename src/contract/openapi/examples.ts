import type { Json } from '../operations/operation.js';

/**
 * An example of a value: that of the schema, or else the required properties with theirs. Undefined
 * if the schema has none.
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
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []) as Json[];
  if (choice !== undefined) return exampleOf(choice, named);
  return schema.type === 'object' ? exampleOfObject(schema, named) : undefined;
}

function exampleOfObject({ properties = {}, required = [] }: Json, named: Json): unknown {
  const names = required as readonly string[];
  const fields = Object.entries(properties as Record<string, Json>)
    .filter(([name]) => names.includes(name))
    .map(([name, property]) => [name, exampleOf(property, named)]);
  return Object.fromEntries(fields);
}
