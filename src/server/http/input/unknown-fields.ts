import { z } from 'zod';

/** A field that the schema does not have. */
export interface UnknownField {
  /** Path from the top, for example `actions.0.buton`. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  /** Fields that it could be. */
  readonly known: readonly string[];
}

/** Fields that are collected at most: a body may have thousands. */
const MOST = 5;

/** Takes no fields. */
export const NOTHING = z.object({});

/**
 * The fields of `value` that `schema` does not have, at any depth; the first five. At most `objects`
 * objects and items of lists are looked at: the lists of a value that was not accepted by the schema
 * may have any length.
 */
export function unknownFields(
  schema: z.ZodType,
  value: unknown,
  objects = Number.POSITIVE_INFINITY,
): UnknownField[] {
  const search = { found: [], objects };
  collect(schema, value, '', search);
  return search.found;
}

interface Search {
  readonly found: UnknownField[];
  /** How many may still be looked at. */
  objects: number;
}

function isOver({ found, objects }: Search): boolean {
  return found.length >= MOST || objects <= 0;
}

function collect(schema: unknown, value: unknown, path: string, search: Search): void {
  if (isOver(search)) return;
  search.objects -= 1;
  if (typeof value !== 'object' || value === null) return;
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    if (!mayHaveFields(inner.element)) return;
    for (const [index, item] of value.entries()) {
      if (isOver(search)) return;
      collect(inner.element, item, `${path}${index}.`, search);
    }
    return;
  }
  const object = inner instanceof z.ZodUnion ? optionFor(inner, value) : inner;
  if (!(object instanceof z.ZodObject) || Array.isArray(value)) return;
  const known = Object.keys(object.shape);
  for (const [name, field] of Object.entries(value)) {
    if (isOver(search)) return;
    if (!known.includes(name)) search.found.push({ path: path + name, name, known });
    else if (typeof field === 'object')
      collect(object.shape[name], field, `${path}${name}.`, search);
  }
}

/** False for items without fields, such as the points of a drag. */
function mayHaveFields(element: unknown): boolean {
  const inner = unwrap(element);
  return [z.ZodArray, z.ZodUnion, z.ZodObject].some((kind) => inner instanceof kind);
}

/** The object that a union takes `value` for: by its discriminator, or the only one it has. */
function optionFor(union: z.ZodUnion, value: object): unknown {
  const options = union.options.map(unwrap).filter((option) => option instanceof z.ZodObject);
  if (!(union instanceof z.ZodDiscriminatedUnion)) return options[0];
  const { discriminator } = union.def;
  const given: unknown = Reflect.get(value, discriminator);
  return options.find((option) => {
    const literal: unknown = option.shape[discriminator];
    return literal instanceof z.ZodLiteral && literal.values.has(given as never);
  });
}

/** The schema of the input within what is optional, has a default or is transformed. */
function unwrap(schema: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) {
    return unwrap(schema.unwrap());
  }
  if (!(schema instanceof z.ZodPipe)) return schema;
  // z.preprocess() begins with a transform, .transform() ends with one.
  return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
}
