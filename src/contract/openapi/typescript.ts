import { bytePaths } from './byte-paths.js';
import { openApiDocument } from './document.js';
import type { Json } from './schemas.js';

const HEAD = `// Generated from the contract by \`npm run build\`. Editors show the comments, which zod's types lack.
`;

/** Once for all operations, so that the client's package stays small. */
const OPERATION_TYPE = `/** What an operation takes and answers. */
export interface OperationType<Answer, Body = undefined, Query = undefined> {
  query: Query;
  body: Body;
  answer: Answer;
}
`;

/**
 * The contract's schemas as TypeScript: an interface for each named schema, and what each operation
 * takes and answers.
 */
export function renderTypes(): string {
  const { components, paths } = openApiDocument('');
  const { Error: _, ...schemas } = components.schemas;
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ operationId }) => isOperation(String(operationId)));
  return [
    HEAD,
    ...Object.entries(schemas).map(([name, schema]) => {
      const base = baseOf(schema, schemas);
      return declaration(name, schema, base);
    }),
    ...operations.map(queryDeclaration).filter((text) => text !== ''),
    OPERATION_TYPE,
    '/** What each operation takes and answers. */\nexport interface OperationTypes {',
    ...operations.map(operationType),
    '}\n',
  ].join('\n');
}

function isOperation(id: string): boolean {
  return !id.endsWith('ByName') && !Object.hasOwn(bytePaths, id);
}

/** A named interface whose properties another one has as well. */
interface Base {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Fewer common properties are repeated. */
const LEAST_COMMON = 3;

/** The largest other interface of which the schema has all properties, and more. */
function baseOf(schema: Json, schemas: Readonly<Record<string, Json>>): Base | undefined {
  if (!isInterface(schema)) return undefined;
  const own = propertyLines(schema, '');
  return Object.entries(schemas)
    .filter(([, other]) => isInterface(other))
    .map(([name, other]) => ({ name, lines: propertyLines(other, '') }))
    .filter(({ lines }) => lines.length >= LEAST_COMMON && lines.length < own.length)
    .filter(({ lines }) => lines.every((line) => own.includes(line)))
    .sort((one, other) => other.lines.length - one.lines.length)[0];
}

function isInterface(schema: Json): boolean {
  return schema.type === 'object' && schema.properties !== undefined;
}

function declaration(name: string, schema: Json, base?: Base): string {
  const comment = commentOf(schema, '');
  if (!isInterface(schema)) return `${comment}export type ${name} = ${typeOf(schema, '')};\n`;
  const own = propertyLines(schema, '').filter((line) => !base?.lines.includes(line));
  const head = `interface ${name}${base === undefined ? '' : ` extends ${base.name}`}`;
  return `${comment}export ${head} {\n${own.join('\n')}\n}\n`;
}

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const queryName = ({ operationId }: Json) => `${capitalized(String(operationId))}Query`;
const queryOf = ({ parameters = [] }: Json) =>
  (parameters as Json[]).filter((parameter) => parameter.in === 'query');

function queryDeclaration(operation: Json): string {
  const query = queryOf(operation);
  if (query.length === 0) return '';
  const properties = Object.fromEntries(
    query.map(({ name, description, schema }) => [
      name,
      { description, ...textual(schema as Json) },
    ]),
  );
  const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
  return declaration(queryName(operation), {
    ...{ type: 'object', properties, required },
    description: `Query of \`${operation.operationId}\`.`,
  });
}

/** A query is text, so a yes or no may also be `0` or `1`. */
function textual(schema: Json): Json {
  if (schema.type !== 'boolean') return schema;
  const { type, ...rest } = schema;
  return { ...rest, anyOf: [{ type }, { enum: ['0', '1'] }] };
}

function operationType(operation: Json): string {
  const { operationId, summary, requestBody, responses } = operation;
  const answer = jsonSchema((responses as Record<string, Json>)[200]);
  const types = [
    typeOf(answer, ''),
    typeOf(jsonSchema(requestBody as Json | undefined), '', 'undefined'),
    queryOf(operation).length === 0 ? 'undefined' : queryName(operation),
  ];
  while (types.at(-1) === 'undefined') types.pop();
  return `  /** ${summary}. */\n  ${operationId}: OperationType<${types.join(', ')}>;`;
}

function jsonSchema(part: Json | undefined): Json {
  const content = (part?.content ?? {}) as Record<string, Json>;
  return (content['application/json']?.schema ?? {}) as Json;
}

/** `otherwise` is the type of a schema that says nothing. */
function typeOf(schema: Json, indent: string, otherwise = 'unknown'): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? otherwise;
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (choices !== undefined) return choices.map((each) => typeOf(each, indent)).join(' | ');
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  }
  if (Array.isArray(schema.prefixItems)) {
    return `[${schema.prefixItems.map((item) => typeOf(item, indent)).join(', ')}]`;
  }
  switch (schema.type) {
    case 'integer':
      return 'number';
    case 'array':
      return listOf(typeOf((schema.items ?? {}) as Json, indent));
    case 'object':
      return objectType(schema, indent);
    default:
      return typeof schema.type === 'string' ? schema.type : otherwise;
  }
}

const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
const listOf = (item: string) => (/^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`);

function objectType(schema: Json, indent: string): string {
  if (schema.properties === undefined) {
    return `Record<string, ${typeOf((schema.additionalProperties ?? {}) as Json, indent)}>`;
  }
  return `{\n${propertyLines(schema, indent).join('\n')}\n${indent}}`;
}

/** The properties of an object with their comments. */
function propertyLines(schema: Json, indent: string): string[] {
  const inner = `${indent}  `;
  const required = (schema.required ?? []) as readonly unknown[];
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).map(
    ([name, property]) => {
      const isRequired = required.includes(name);
      const type = typeOf(property, inner);
      const key = /^\w+$/.test(name) ? name : literal(name);
      return `${commentOf(property, inner)}${inner}${key}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};`;
    },
  );
}

/** A documentation comment with description, range and default; empty without any. */
function commentOf(
  { description, minimum, maximum, default: value }: Json,
  indent: string,
): string {
  const range = minimum === undefined || maximum === undefined ? '' : ` ${minimum} to ${maximum}.`;
  const text = `${description ?? ''}${range}`.replaceAll('*/', '*\\/').trim();
  const isScalar = value !== null && typeof value !== 'object';
  const lines = [
    ...(text === '' ? [] : wrapped(text, 92 - indent.length)),
    ...(value === undefined || !isScalar ? [] : [`@default ${literal(value)}`]),
  ];
  const [first] = lines;
  if (first === undefined) return '';
  if (lines.length === 1) return `${indent}/** ${first} */\n`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */\n`].join(
    '\n',
  );
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
