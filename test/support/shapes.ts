import fc from 'fast-check';
import { z } from 'zod';

/** The subset of JSON Schema that the contract's schemas use. */
export interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Shape;
  readonly propertyNames?: Shape;
  readonly items?: Shape;
  readonly prefixItems?: readonly Shape[];
  readonly minItems?: number;
}

/** A schema's input as JSON Schema. */
export function shapeOf(schema: z.ZodType): Shape {
  // Without metadata, so that named schemas are in place.
  const metadata = z.registry<object>();
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', metadata }) as Shape;
}

/** Fields in seconds, kept short in tests. */
const LASTING = ['duration', 'seconds', 'timeout', 'delay_ms', 'hold_ms'];

/** Values that match the shape. The schema may refuse some that JSON Schema cannot exclude. */
export function valuesOf(shape: Shape, field = ''): fc.Arbitrary<unknown> {
  if (shape.const !== undefined) return fc.constant(shape.const);
  if (shape.enum) return fc.constantFrom(...shape.enum);
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, field)));
  switch (shape.type) {
    case 'string':
      return stringsOf(shape);
    case 'integer':
    case 'number':
      return numbersOf(shape, field);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return shape.prefixItems
        ? fc.tuple(...shape.prefixItems.map((item) => valuesOf(item)))
        : fc.array(valuesOf(shape.items ?? {}), { minLength: shape.minItems ?? 0, maxLength: 4 });
    case 'object':
      return objectsOf(shape);
    default:
      return fc.oneof(fc.string({ maxLength: 20 }), fc.integer({ min: 0, max: 100 }));
  }
}

function stringsOf({ pattern, minLength = 0, maxLength = 30 }: Shape): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'));
  return fc.string({ minLength, maxLength: Math.min(maxLength, 30), unit: 'grapheme' });
}

function numbersOf({ type, minimum, maximum }: Shape, field: string): fc.Arbitrary<number> {
  const min = minimum ?? -10_000;
  const limit = LASTING.includes(field) ? Math.ceil(min) : 1_000_000;
  const max = Math.max(min, Math.min(maximum ?? 10_000, limit));
  if (type === 'integer') return fc.integer({ min, max });
  return fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
}

function objectsOf(shape: Shape): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties, propertyNames } = shape;
  if (properties === undefined) {
    const values =
      typeof additionalProperties === 'object' ? valuesOf(additionalProperties) : fc.anything();
    return fc.dictionary(stringsOf(propertyNames ?? {}), values, { maxKeys: 3 });
  }
  const fields = Object.entries(properties).map(([name, each]) => [name, valuesOf(each, name)]);
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: [...required] as never[],
    noNullPrototype: true,
  });
}

/** A valid value of the schema, always the same. */
export function exampleOf(schema: z.ZodType): unknown {
  const shape = shapeOf(schema);
  const documented = (z.globalRegistry.get(schema)?.examples ?? []) as unknown[];
  for (const value of [...documented, ...fc.sample(valuesOf(shape), { seed: 7, numRuns: 500 })]) {
    if (schema.safeParse(value).success) return value;
  }
  throw new Error(`no example of ${JSON.stringify(shape)}`);
}

/** Paths of a shape's free-text fields; `0` stands for the first element of a list. */
export function textsIn(shape: Shape, path: readonly string[] = []): string[][] {
  const choices = shape.anyOf ?? shape.oneOf ?? [];
  const fields = Object.entries(shape.properties ?? {});
  return [
    ...(shape.type === 'string' && shape.enum === undefined && shape.const === undefined
      ? [[...path]]
      : []),
    ...choices.flatMap((choice) => textsIn(choice, path)),
    ...fields.flatMap(([name, each]) => textsIn(each, [...path, name])),
    ...(shape.items ? textsIn(shape.items, [...path, '0']) : []),
    ...(typeof shape.additionalProperties === 'object'
      ? textsIn(shape.additionalProperties, [...path, 'key'])
      : []),
  ];
}

/** A copy of the value with another one at the path, which is created if it is missing. */
export function withAt(value: unknown, [name, ...rest]: readonly string[], put: unknown): unknown {
  if (name === undefined) return put;
  if (Array.isArray(value) || name === '0') {
    const list = Array.isArray(value) ? value : [];
    return [withAt(list[0], rest, put), ...list.slice(1)];
  }
  const object = typeof value === 'object' && value !== null ? value : {};
  return { ...object, [name]: withAt(Reflect.get(object, name), rest, put) };
}
