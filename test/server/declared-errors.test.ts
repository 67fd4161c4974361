import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiDocument } from '../../src/contract/openapi/document.js';
import { openTestApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

it.each([
  ['POST', '/keys', { name: 'k', project: 'none' }],
  ['GET', '/sessions/current', undefined],
  ['DELETE', '/sessions/current', undefined],
] as const)('%s %s answers an error that is declared', async (method, path, body) => {
  const { status } = await app.send(method, `/api${path}`, body === undefined ? {} : { body });
  const operation = openApiDocument('0').paths[path]?.[method.toLowerCase()];
  expect(Object.keys(operation?.responses ?? {})).toContain(String(status));
  expect(status).toBe(404);
});
