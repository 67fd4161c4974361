import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { openTestApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  await app.send('POST', '/api/projects/shop/computers', { body: { name: 'desk' } });
});
afterAll(() => app.close());

const LONG = 'a-'.repeat(500_000);
const C = '/api/projects/shop/computers/desk';

it.each([
  ['/api/keys', { name: 'k', project: LONG }, 'project must be the name or id of a project'],
  [`${C}/bash`, { command: 'ls', env: { [LONG]: 'x' } }, 'env.a-'],
  [`${C}/bash`, { command: 'ls', [LONG]: 'x' }, 'The body has no field "a-'],
  [`${C}/click`, { x: 1, y: 1, keys: [LONG] }, 'keys.0 must be at most 100 characters'],
])('an error of %s does not repeat a long text of the request', async (path, body, message) => {
  const { status, json } = await app.send('POST', path, { body });
  expect(status).toBe(400);
  expect(json.error).toContain(message);
  expect(String(json.error).length).toBeLessThan(500);
});

it('an error that quotes too much is cut', async () => {
  const list = vi.spyOn(app.world.fleet.projects, 'list').mockImplementation(() => {
    throw new ApiError('conflict', `x${'👍'.repeat(1_000_000)}`);
  });
  const { status, json } = await app.send('GET', '/api/projects');
  list.mockRestore();
  expect(status).toBe(400);
  const error = String(json.error);
  expect(error.length).toBeLessThan(10_002);
  expect(error.isWellFormed()).toBe(true);
  expect(error.endsWith('…')).toBe(true);
});
