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
const NOTHING = z.object({});

/** The fields of `value` that `schema` does not have, at any depth; the first five. */
export function unknownFields(schema: z.ZodType | undefined, value: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  collect(schema ?? NOTHING, value, '', found);
  return found;
}

function collect(schema: unknown, value: unknown, path: string, found: UnknownField[]): void {
  if (found.length >= MOST || typeof value !== 'object' || value === null) return;
  if (Object.keys(value).length === 0) return;
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      collect(inner.element, item, `${path}${index}.`, found);
    }
    return;
  }
  const object = inner instanceof z.ZodUnion ? optionFor(inner, value) : inner;
  if (!(object instanceof z.ZodObject) || Array.isArray(value)) return;
  const known = Object.keys(object.shape);
  for (const [name, field] of Object.entries(value)) {
    if (found.length >= MOST) return;
    if (known.includes(name)) collect(object.shape[name], field, `${path}${name}.`, found);
    else found.push({ path: path + name, name, known });
  }
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
