// @module-tag slow
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type Access, rightFor } from '../../../src/contract/access/rights.js';
import { access } from '../../../src/contract/operations.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { fill, type Route, routes } from '../../support/routes.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => app.close());

interface Key {
  readonly id: string;
  readonly key: string;
}

async function createKey(given: object): Promise<Key> {
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'agent', ...given } });
  return { id: String(json.id), key: String(json.key) };
}

const lower = ({ id }: Key) => app.send('PATCH', `/api/keys/${id}`, { body: { rights: 'look' } });
const remove = ({ id }: Key) => app.send('DELETE', `/api/keys/${id}`);

/** The status of a request whose body is sent after `change`; undefined if it was disconnected. */
async function whileBodyArrives(
  { method, path }: Pick<Route, 'method' | 'path'>,
  { key, body = '{}' }: { key: Key; body?: string },
  change: (key: Key) => Promise<unknown>,
): Promise<number | undefined> {
  const headers = {
    ...{ authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
    ...{ 'content-length': String(body.length), expect: '100-continue' },
  };
  const sent = request({ host: '127.0.0.1', port: app.port, method, path, headers });
  const answered = once(sent, 'response').then(
    ([response]) => response.resume().statusCode as number,
    () => undefined,
  );
  // It was authorized, and waits for the body.
  await once(sent, 'continue');
  await change(key);
  sent.end(body);
  return answered;
}

it.each(['DELETE', 'POST'])(
  'a project stays if the key for it is lowered before the body of %s',
  async (method) => {
    const project = method.toLowerCase();
    await app.send('POST', '/api/projects', { body: { name: project } });
    const key = await createKey({ project });
    const path = `/api/projects/${project}${method === 'POST' ? '/delete' : ''}`;
    expect(await whileBodyArrives({ method, path }, { key }, lower)).toBe(403);
    expect((await app.send('GET', `/api/projects/${project}`)).status).toBe(200);
  },
);

it.each(['PATCH', 'DELETE'])(
  'a key stays as it is if the key that changes it is lowered before the body of %s',
  async (method) => {
    const [key, other] = [await createKey({}), await createKey({ rights: 'look' })];
    const path = `/api/keys/${other.id}`;
    const body = method === 'PATCH' ? '{"expires_at":"2099-01-01T00:00:00Z"}' : '{}';
    expect(await whileBodyArrives({ method, path }, { key, body }, lower)).toBe(403);
    const { keys } = (await app.send('GET', '/api/keys')).json;
    expect(keys).toContainEqual(expect.objectContaining({ id: other.id, expires_at: null }));
  },
);

/** One route of each operation with a body; a file is written, and a context read, while it arrives. */
const withBody = [
  ...new Map(
    routes
      .filter(({ method, open, upgrade }) => method !== 'GET' && !open && !upgrade)
      .filter(({ name }) => name !== 'writeFile' && name !== 'buildImage')
      .map((route) => [route.name, route] as const),
  ).values(),
];

it('every operation refuses a key that was lowered or removed before the body arrived', async () => {
  // Otherwise most requests end with their key.
  vi.spyOn(app.world.fleet.apiKeys, 'onEnd').mockReturnValue(() => undefined);
  for (const route of withBody) {
    const needed = access[route.name as keyof typeof access] as Access;
    const isLook = rightFor(needed, route.body?.safeParse({}).data) === 'look';
    const given = { method: route.method, path: fill(route.path, {}) };
    const change = isLook ? remove : lower;
    const status = await whileBodyArrives(given, { key: await createKey({}) }, change);
    const isHidden = /^\/(owners|cluster)\b/.test(route.path);
    expect(status, `${route.method} ${route.path}`).toBe(isLook ? 401 : isHidden ? 404 : 403);
  }
});
