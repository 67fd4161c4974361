// @module-tag slow
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { errorCatalogue } from '../../src/contract/errors.js';
import { type OpenApiDocument, openApiDocument } from '../../src/contract/openapi/document.js';
import type { Operation } from '../../src/contract/operations/operation.js';
import { operations } from '../../src/contract/operations.js';
import { routes } from '../support/routes.js';

type Node = Readonly<Record<string, unknown>>;
type Answers = Readonly<Record<string, Node>>;

const document = openApiDocument('0.0.0');
const operation = (path: string, method: string) => {
  const found = document.paths[path]?.[method];
  if (found === undefined) throw new Error(`no ${method} ${path}`);
  return found as Node & { readonly responses: Answers };
};
const mediaTypes = (answer: Node | undefined) => Object.keys((answer?.content ?? {}) as object);

/** Problems that the linter reports and that are as they should be. */
const EXPECTED = [
  // The path of a project by its name is part of the published interface.
  /^no-ambiguous-paths .*\/projects\/by-name\/\{project\}/,
  // It answers without a key and takes nothing.
  /^operation-4xx-response #\/paths\/~1health\//,
  // The answers of WebSockets; their messages are named in an extension.
  /^operation-2xx-response .*~1(process|tunnel|cdp|wall)\//,
  /^no-unused-components #\/components\/schemas\/(Process|Tunnel|Wall)\w+$/,
];

test('the linter finds no errors and no warnings', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: JSON.stringify(document), config });
  const problems = found
    .map(({ ruleId, message, location: [where] }) => {
      const text = ruleId === 'no-ambiguous-paths' ? message : where?.pointer;
      return `${ruleId} ${text}`;
    })
    .filter((problem) => !EXPECTED.some((expected) => expected.test(problem)));
  expect(problems).toEqual([]);
});

test('the linter finds a wrong reference and a wrong example', async () => {
  const wrong = structuredClone(document) as OpenApiDocument & Record<string, never>;
  const click = wrong.paths['/computers/{id}/click']?.post as Record<string, Node>;
  click.requestBody = {
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Click' },
        example: { x: 'far left', y: 1 },
      },
    },
  };
  click.responses = { 200: { $ref: '#/components/responses/Nothing' } };
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: JSON.stringify(wrong), config });
  const rules = found.map(({ ruleId }) => ruleId);
  expect(rules).toContain('no-unresolved-refs');
  expect(rules).toContain('no-invalid-media-type-examples');
});

test('it has every route of the contract', () => {
  const pages = ['viewPage', 'viewSocket', 'openapi', 'docs', 'mcp'];
  const wanted = routes
    // One has a second form, with a slash at its end.
    .filter(({ name, path, isAlias }) => !pages.includes(name) && !path.endsWith('/') && !isAlias)
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(found.sort()).toEqual(wanted.sort());
});

/** Names of the schemas that a part of the document refers to, at any depth. */
function namesIn(part: unknown, found = new Set<string>()): Set<string> {
  const schemas = document.components.schemas;
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(schemas[name], found);
  }
  return found;
}

const isExact = (name: string) => document.components.schemas[name]?.additionalProperties === false;

test('an answer may have further fields', () => {
  const answers = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ responses }) => responses);
  const text = JSON.stringify(
    [...namesIn(answers)].map((name) => document.components.schemas[name]),
  );
  expect(text).not.toContain('"additionalProperties":false');
});

test('a body has no further fields where the service refuses them', () => {
  for (const [name, { body, published, paths, method }] of Object.entries<Operation>(operations)) {
    const [path = ''] = paths;
    const { requestBody } = operation(path.replaceAll(/:(\w+)/g, '{$1}'), method.toLowerCase());
    const [schema = ''] = namesIn(requestBody ?? {});
    if (body !== undefined) expect(isExact(schema), name).toBe(published !== true);
  }
  expect(isExact('ClickStep')).toBe(true);
});

test('it says which fields are alternatives', () => {
  const { schemas } = document.components;
  expect(schemas.Click?.oneOf).toEqual([
    ...[{ required: ['x', 'y'] }, { required: ['element'] }, { required: ['mark'] }],
  ]);
  expect(schemas.ClickStep?.oneOf).toEqual(schemas.Click?.oneOf);
  expect(schemas.FindElements?.anyOf).toContainEqual({ required: ['role'] });
  expect(operation('/computers/{id}/click', 'post').requestBody).toMatchObject({ required: true });
});

test('answers that are not JSON have their media types', () => {
  expect(mediaTypes(operation('/computers/{id}/screenshot', 'get').responses[200])).toEqual([
    ...['application/json', 'image/png', 'image/jpeg', 'image/webp'],
  ]);
  expect(mediaTypes(operation('/computers/{id}/record', 'get').responses[200])).toEqual([
    'video/mp4',
  ]);
  const read = operation('/computers/{id}/files', 'get').responses[200];
  expect(mediaTypes(read)).toEqual(['application/octet-stream']);
  expect(Object.keys(read?.headers as object)).toEqual(
    expect.arrayContaining(['x-file-mode', 'last-modified', 'x-request-id']),
  );
  const { requestBody } = operation('/computers/{id}/files', 'put');
  expect(mediaTypes(requestBody as Node)).toEqual(['application/octet-stream']);
});

test('the description of isolation names each of its values', () => {
  const { properties } = document.components.schemas.Computer as { properties: Node };
  const isolation = properties.isolation as { description: string; enum: string[] };
  const { description, enum: values } = isolation;
  expect(values).toContain('container');
  for (const value of values) expect(description).toContain(`\`${value}\``);
});

test('every error has its codes and headers', () => {
  const responses = document.components.responses as Answers;
  const described = Object.values(responses).flatMap(({ headers }) => {
    const named = headers as Record<string, { readonly schema: { readonly enum: string[] } }>;
    expect(Object.keys(named)).toEqual(
      expect.arrayContaining(['x-error-code', 'x-error-remedy', 'x-request-id']),
    );
    return named['x-error-code']?.schema.enum ?? [];
  });
  const codes = Object.keys(errorCatalogue).filter((code) => code !== 'method_not_allowed');
  expect(described.sort()).toEqual(codes.sort());
  const statuses = Object.keys(operation('/computers/{id}/click', 'post').responses);
  expect(statuses).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '408',
    '413',
    '415',
    '429',
    '500',
    '503',
  ]);
});

test('only the health and logging in need no key', () => {
  const open = Object.entries(document.paths).filter(([, methods]) =>
    Object.values(methods).some(({ security }) => security !== undefined),
  );
  expect(open.map(([path]) => path)).toEqual(['/health', '/sessions']);
});

test('the example of every body is accepted', () => {
  const refused = Object.entries<Operation>(operations).flatMap(
    ([name, { method, paths, body }]) => {
      const [path = ''] = paths;
      const { requestBody } = operation(path.replaceAll(/:(\w+)/g, '{$1}'), method.toLowerCase());
      const { content } = (requestBody ?? {}) as { content?: Record<string, { example: unknown }> };
      const example = content?.['application/json']?.example;
      const isEmpty = JSON.stringify(example) === '{}' && name !== 'openBrowser';
      return body === undefined || (body.safeParse(example).success && !isEmpty)
        ? []
        : [`${name}: ${JSON.stringify(example)}`];
    },
  );
  expect(refused).toEqual([]);
});

test('a generator finds no two types of one name, and an item of every list', () => {
  const pascal = (text: string) => text.replaceAll(/(?:^|_|-)(\w)/g, (_, a) => a.toUpperCase());
  const schemas = (document.components as { schemas: Record<string, Node> }).schemas;
  const ofSchemas = Object.entries(schemas).flatMap(([name, { properties = {} }]) => [
    name,
    ...Object.entries(properties as Record<string, Node>)
      .filter(([, schema]) => 'enum' in schema)
      .map(([property]) => name + pascal(property)),
  ]);
  const ofParameters = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods) as Node[])
    .flatMap(({ operationId, parameters = [] }) =>
      (parameters as { name: string; schema: Node }[])
        .filter(({ schema }) => 'enum' in schema)
        .map(({ name }) => pascal(String(operationId)) + pascal(name)),
    );
  const all = [...ofSchemas, ...ofParameters];
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  const lists: Node[] = [];
  JSON.stringify(document, (_, value) => {
    if (value?.type === 'array') lists.push(value);
    return value;
  });
  expect(lists.length).toBeGreaterThan(50);
  // Some linters take no `false`.
  expect(lists.filter(({ items }) => typeof items !== 'object')).toEqual([]);
});
