// The schemas of the OpenAPI document as TypeScript: an interface for each named schema, and what each
// operation takes and answers. Descriptions become comments, which the types of zod lack.

const HEAD = `// Generated from the contract by scripts/contract.js.

/** What an operation takes and answers. */
export interface OperationType<Answer, Params = undefined, Body = undefined, Query = undefined> {
  params: Params;
  query: Query;
  body: Body;
  answer: Answer;
}
`;

/** `names` are the operations; the document also has byte streams. */
export function renderTypes({ components, paths }, names) {
  const { Error: _, ...schemas } = components.schemas;
  const all = Object.values(paths).flatMap((methods) => Object.values(methods));
  const operations = all.filter(({ operationId }) => names.includes(operationId));
  const types = operations.map((operation) => {
    const forms = all.filter(({ operationId }) => nameOf(operationId) === operation.operationId);
    return operationType(operation, forms);
  });
  return [
    HEAD,
    ...Object.entries(schemas).map(([name, schema]) => declaration(name, schema)),
    ...types.flatMap(({ query }) => query ?? []),
    '/** What each operation takes and answers. */\nexport interface OperationTypes {',
    ...types.map(({ property }) => property),
    '}\n',
  ].join('\n');
}

/** The name of an operation, whose paths have ids of their own. */
function nameOf(operationId) {
  return operationId.replace(/ByName$/, '');
}

/** The parameters of an operation's paths: an object for each, or undefined. */
function paramsType(forms) {
  const types = forms.map(({ parameters = [] }) =>
    parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => `${name}: string`)
      .join('; '),
  );
  return [...new Set(types)].map((each) => (each === '' ? 'undefined' : `{ ${each} }`)).join(' | ');
}

function operationType({ operationId, summary, requestBody, responses, parameters = [] }, forms) {
  const properties = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, description, schema }) => [name, { description, ...textual(schema) }]);
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const queryName = `${operationId[0].toUpperCase()}${operationId.slice(1)}Query`;
  const hasQuery = properties.length > 0;
  const query = declaration(queryName, {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    description: `Query of \`${operationId}\`.`,
  });
  const types = [
    typeOf(responses[200].content['application/json']?.schema),
    paramsType(forms),
    requestBody ? typeOf(requestBody.content['application/json'].schema) : 'undefined',
    hasQuery ? queryName : 'undefined',
  ];
  return {
    query: hasQuery ? query : undefined,
    property: `/** ${summary}. */\n${operationId}: OperationType<${types.join(', ')}>;`,
  };
}

/** A query is text, so a yes or no may also be `0` or `1`. */
function textual({ type, ...schema }) {
  return type === 'boolean'
    ? { ...schema, anyOf: [{ type }, { enum: ['0', '1'] }] }
    : { type, ...schema };
}

function declaration(name, schema) {
  const isInterface = schema.type === 'object' && schema.properties !== undefined;
  const type = typeOf(schema);
  const rest = isInterface ? `interface ${name} ${type}` : `type ${name} = ${type};`;
  return `${commentOf(schema)}export ${rest}\n`;
}

function typeOf(schema = {}) {
  const { $ref, const: value, enum: values, anyOf, oneOf = anyOf, type, prefixItems } = schema;
  if ($ref !== undefined) return $ref.split('/').at(-1);
  if (value !== undefined) return JSON.stringify(value);
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' | ');
  if (schema.properties !== undefined) return objectType(schema);
  if (oneOf !== undefined) return oneOf.map(typeOf).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' | ');
  if (prefixItems !== undefined) return `[${prefixItems.map(typeOf).join(', ')}]`;
  if (type === 'integer') return 'number';
  if (type === 'array') return `Array<${typeOf(schema.items)}>`;
  return type === 'object' ? objectType(schema) : (type ?? 'unknown');
}

function objectType({ properties, required = [], additionalProperties }) {
  if (properties === undefined) return `Record<string, ${typeOf(additionalProperties)}>`;
  const lines = Object.entries(properties).map(([name, property]) => {
    const type = typeOf(property);
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const field = required.includes(name) ? `${key}: ${type}` : `${key}?: ${type} | undefined`;
    return `${commentOf(property)}${field};\n`;
  });
  return `{\n${lines.join('')}}`;
}

/** A documentation comment with description, range and default; empty without any. */
function commentOf({ description = '', minimum, maximum, default: value }) {
  const range = minimum === undefined || maximum === undefined ? '' : ` ${minimum} to ${maximum}.`;
  const isScalar = value !== undefined && typeof value !== 'object';
  const lines = [
    `${description}${range}`.trim().replaceAll('*/', '*\\/'),
    isScalar ? `@default ${JSON.stringify(value)}` : '',
  ].filter((line) => line !== '');
  return lines.length === 0 ? '' : `/** ${lines.join('\n * ')} */\n`;
}
