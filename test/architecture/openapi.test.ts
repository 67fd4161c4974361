import { expect, test } from 'vitest';
import { type OpenApiDocument, openApiDocument } from '../../src/contract/openapi/document.js';

type Node = Readonly<Record<string, unknown>>;

const document = openApiDocument('0.0.0');
const { schemas, headers, responses } = document.components as OpenApiDocument['components'] & {
  readonly headers: Readonly<Record<string, Node>>;
  readonly responses: Readonly<Record<string, Node>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
    responses: operation.responses as Readonly<Record<string, Node>>,
  })),
);

const isDescribed = ({ description, $ref }: Node) =>
  $ref !== undefined || (typeof description === 'string' && description.trim().length > 3);

/** Where a schema, at any depth, has a property without a description. */
function undescribed(schema: Node, path: string): string[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Node>);
  const inner = [schema.items, schema.additionalProperties]
    .filter((each) => typeof each === 'object')
    .concat(schema.anyOf ?? [], schema.oneOf ?? [], schema.prefixItems ?? []) as Node[];
  return [
    ...properties.filter(([, each]) => !isDescribed(each)).map(([name]) => `${path}.${name}`),
    ...properties.flatMap(([name, each]) => undescribed(each, `${path}.${name}`)),
    ...inner.flatMap((each) => undescribed(each, `${path}[]`)),
  ];
}

test('every schema and every property, at any depth, has a description', () => {
  const found = Object.entries(schemas).flatMap(([name, schema]) => [
    ...(isDescribed(schema) ? [] : [name]),
    ...undescribed(schema, name),
  ]);
  expect(Object.keys(schemas).length).toBeGreaterThan(80);
  expect(found).toEqual([]);
});

test('every body and JSON answer is a named schema', () => {
  const found = operations.filter(({ operation, responses: answers }) => {
    const parts = [operation.requestBody, ...Object.values(answers)] as (Node | undefined)[];
    return parts.some((part) => {
      const json = (part?.content as Record<string, Node> | undefined)?.['application/json'];
      return json !== undefined && (json.schema as Node).$ref === undefined;
    });
  });
  expect(found.map(({ name }) => name)).toEqual([]);
});

test('every parameter has a description', () => {
  const found = operations.flatMap(({ name, operation }) =>
    ((operation.parameters ?? []) as Node[])
      .filter((parameter) => !isDescribed(parameter))
      .map((parameter) => `${name}: ${parameter.name}`),
  );
  expect(found).toEqual([]);
});

test('every operation has a summary, a tag and an id of its own', () => {
  const known = (document.tags as { name: string }[]).map(({ name }) => name);
  for (const { name, operation } of operations) {
    expect(operation.summary, name).toMatch(/^[A-Z].*[^.]$/);
    expect(known, name).toEqual(expect.arrayContaining(operation.tags as string[]));
  }
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every answer has a description, its headers too', () => {
  const answers = [
    ...operations.flatMap(({ name, responses: each }) =>
      Object.entries(each).map(([status, answer]) => [`${name} ${status}`, answer] as const),
    ),
    ...Object.entries(responses),
  ];
  const found = answers.flatMap(([name, answer]) => [
    ...(isDescribed(answer) ? [] : [name]),
    ...Object.entries((answer.headers ?? {}) as Record<string, Node>)
      .filter(([, each]) => !isDescribed(each))
      .map(([header]) => `${name}: ${header}`),
  ]);
  expect(found).toEqual([]);
  expect(Object.entries(headers).filter(([, each]) => !isDescribed(each))).toEqual([]);
});
