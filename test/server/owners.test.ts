// @module-tag slow
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Answer, openTestApp, type Sending, type TestApp } from '../support/app.js';
import { gate } from '../support/fake-engine.js';
import { promise } from '../support/run/promise.js';
import { openViewer } from '../support/viewer.js';

let app: TestApp;
let ownKey: string;
let alice: { readonly id: string; readonly keyId: string; readonly authorization: string };

beforeEach(async () => {
  app = await openTestApp();
  ownKey = String(app.world.fleet.apiKeys.authenticate(app.world.key)?.keyId);
  const { json } = await app.send('POST', '/api/owners', { body: { name: 'alice' } });
  const key = json.key as { id: string; key: string };
  alice = { id: String(json.id), keyId: key.id, authorization: `Bearer ${key.key}` };
});
afterEach(() => app.close());

const asAlice = (method: string, path: string, more: Sending = {}) =>
  app.send(method, `/api${path}`, { authorization: alice.authorization, ...more });
const entries = async (path: string, more: Sending = {}) =>
  (await app.send('GET', `/api${path}`, more)).json.entries as Record<string, unknown>[];

/** A computer of alice's. */
async function makeDesk(): Promise<string> {
  await asAlice('POST', '/projects', { body: { name: 'p' } });
  const { json } = await asAlice('POST', '/projects/p/computers', { body: { name: 'desk' } });
  return String(json.id);
}

it('an administrator creates an owner, whose key is shown once', async () => {
  const body = { name: 'bob', max_running: 3 };
  const { status, json } = await app.send('POST', '/api/owners', { body });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    ...{ name: 'bob', role: 'member', status: 'active', max_running: 3, running: 0 },
    ...{ project_count: 0, computer_count: 0, created_by: ownKey },
    key: { name: 'default', created_by: ownKey, key: expect.stringMatching(/^vc_/) },
  });
  const { key } = json.key as { key: string };
  const me = await app.send('GET', '/api/me', { authorization: `Bearer ${key}` });
  expect(me.json).toMatchObject({ name: 'bob', role: 'member', max_running: 3 });
  const shown = await app.send('GET', '/api/owners/bob');
  expect(shown.json).toEqual({ ...json, key: undefined });
  const list = await app.send('GET', '/api/owners');
  expect((list.json.owners as object[]).at(-1)).toEqual(shown.json);
  expect(list.text).not.toContain(key);
});

it('a limit can be changed and reset', async () => {
  const set = async (max_running: unknown) =>
    (await app.send('PATCH', '/api/owners/alice', { body: { max_running } })).json.max_running;
  expect(await set(20)).toBe(20);
  expect((await asAlice('GET', '/me')).json.max_running).toBe(20);
  expect(await set(null)).toBeNull();
  expect((await asAlice('GET', '/me')).json.max_running).toBe(2);
});

it.each([
  ['POST', '/owners', {}, 'name is missing'],
  ['POST', '/owners', { name: '' }, 'name must be 1 to 64'],
  ['POST', '/owners', { name: '-rf' }, 'name must be 1 to 64'],
  ['POST', '/owners', { name: 'a b' }, 'name must be 1 to 64'],
  ['POST', '/owners', { name: 'a/b' }, 'name must be 1 to 64'],
  ['POST', '/owners', { name: '..' }, 'name must be 1 to 64'],
  ['POST', '/owners', { name: 'a'.repeat(65) }, 'name must be 1 to 64'],
  ['POST', '/owners', { name: 'usr_0123' }, '"usr_" begins the ids of owners'],
  ['POST', '/owners', { name: 7 }, 'name must be a string'],
  ['POST', '/owners', { name: 'alice' }, 'There is an owner named "alice" already.'],
  ['POST', '/owners', { name: 'x', max_running: 0 }, 'max_running must be an integer from 1'],
  ['POST', '/owners', { name: 'x', max_running: 10_001 }, 'integer from 1 to 10000'],
  ['POST', '/owners', { name: 'x', max_running: '3' }, 'max_running must be an integer'],
  ['PATCH', '/owners/alice', { max_running: 1.5 }, 'max_running must be an integer'],
  ['PATCH', '/owners/alice', [], 'The body must be a JSON object'],
  ['POST', '/owners/alice/keys', {}, 'name is missing'],
  ['POST', '/owners/alice/keys', { name: '\n' }, 'name must have no control characters'],
  ['DELETE', '/owners/alice?force=yes', undefined, 'force must be true or false'],
  ['DELETE', '/owners/default', undefined, 'The owner "default" is you'],
  ['GET', '/owners/alice/audit?limit=0', undefined, 'limit must be an integer'],
] as const)('%s %s %j is a 400 that says why', async (method, path, body, message) => {
  const answer = await app.send(method, `/api${path}`, body === undefined ? {} : { body });
  expect({ status: answer.status, error: answer.json.error }).toEqual({
    ...{ status: 400, error: expect.stringContaining(message) },
  });
});

it.each([
  ['GET', '/owners/nobody'],
  ['PATCH', '/owners/nobody'],
  ['DELETE', '/owners/nobody'],
  ['POST', '/owners/nobody/keys'],
  ['GET', '/owners/nobody/audit'],
])('%s %s is a 404', async (method, path) => {
  const bodies: Record<string, object> = { PATCH: { max_running: 1 }, POST: { name: 'k' } };
  const body = bodies[method] === undefined ? {} : { body: bodies[method] };
  const answer = await app.send(method, `/api${path}`, body);
  expect(answer.status).toBe(404);
  expect(answer.json.error).toBe('There is no owner "nobody".');
});

/** Everything that a client sees, except the request's id and time. */
function seen({ status, headers, text }: Answer): unknown {
  const { 'x-request-id': _id, date: _date, ...rest } = headers;
  return { status, rest, text };
}

promise(4, '/owners does not exist for owners who are not administrators', async (report) => {
  const asked: [string, string, string | object | undefined][] = [];
  const tails = ['', '/alice', '/default', '/nobody', `/${alice.id}`, '/default/keys', '/'];
  tails.push('/default/audit', '/default?force=1', '/%zz', '?a=b');
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS']) {
    const bodies = ['POST', 'PATCH', 'PUT'].includes(method)
      ? [{}, { name: 'mallory' }, '{', undefined]
      : [undefined];
    for (const tail of tails) for (const body of bodies) asked.push([method, tail, body]);
  }
  // The router refuses it before it reads a body.
  asked.push(['GET', `/${'x'.repeat(5000)}`, undefined]);
  for (const [method, tail, body] of asked) {
    const sent = body === undefined ? {} : { body };
    const answer = seen(await asAlice(method, `/owners${tail}`, sent));
    const unknown = seen(await asAlice(method, `/sweets${tail}`, sent));
    expect(answer, `${method} ${tail} ${JSON.stringify(body)}`).toEqual(unknown);
  }
  report(`${asked.length} requests`);
  expect((await app.send('GET', '/api/owners')).json.owners).toHaveLength(2);
});

it('an administrator gets 405 with the allowed methods', async () => {
  const answer = await app.send('PUT', '/api/owners/alice', { body: {} });
  expect([answer.status, answer.json.error]).toEqual([
    405,
    'PUT is not possible here; use GET, PATCH, DELETE.',
  ]);
});

promise(4, 'only administrators can read metrics, which cover all owners', async () => {
  expect((await app.send('GET', '/metrics')).status).toBe(200);
  const answer = await app.send('GET', '/metrics', { authorization: alice.authorization });
  const { authorization } = alice;
  const unknown = await app.send('GET', '/other', { authorization });
  expect(seen(answer)).toEqual(seen(unknown));
});

it('deleting an owner ends its requests, sockets and live views at once', async () => {
  const desk = await makeDesk();
  const link = async () =>
    String((await asAlice('POST', `/computers/${desk}/view`, { body: {} })).json.url);
  const viewer = openViewer(await link());
  await viewer.first;
  const unused = await link();
  const { authorization } = alice;
  const url = `ws://127.0.0.1:${app.port}/api/computers/${desk}/process`;
  const process = new WebSocket(url, { headers: { authorization } });
  process.on('error', () => undefined);
  await once(process, 'open');
  const waiting = asAlice('POST', `/computers/${desk}/wait`, { body: { duration: 60 } });
  const broken = expect(waiting).rejects.toThrow();
  await asAlice('GET', '/me');
  const closed = [once(process, 'close'), viewer.closed];
  expect((await app.send('DELETE', '/api/owners/alice')).json.error).toBe(
    'The owner "alice" has 1 project with 1 computer.',
  );
  expect((await app.send('DELETE', '/api/owners/alice?force=1')).json).toEqual({ success: true });
  await Promise.all([...closed, broken]);
  expect(await openViewer(unused).closed).toMatchObject({ code: 'unauthorized' });
  expect((await asAlice('GET', '/me')).status).toBe(401);
  expect(app.world.engine.machines.size).toBe(0);
});

it('deleting an owner ends its streams', async () => {
  const desk = await makeDesk();
  const { streams } = app.world.fleet;
  const ended: string[] = [];
  const { stop } = streams;
  Object.assign(streams, {
    stop: async (record: { readonly id: string }) => {
      ended.push(record.id);
      await stop.call(streams, record as never);
    },
  });
  await app.send('DELETE', '/api/owners/alice?force=1');
  expect(ended).toEqual([desk]);
});

it('operations on owners are logged for the administrator and for the owner', async () => {
  await app.send('PATCH', '/api/owners/alice', { body: { max_running: 3 } });
  await app.send('PATCH', `/api/owners/${alice.id}`, { body: { max_running: null } });
  const created = await app.send('POST', '/api/owners/alice/keys', { body: { name: 'new' } });
  await app.send('POST', '/api/owners', { body: { name: 'alice' } });
  const own = await entries('/audit', { authorization: alice.authorization });
  const expected = [
    {
      action: 'createOwnerKey',
      detail: { name: 'new', owner: 'alice', id: created.json.id },
      ...{ key_id: ownKey, outcome: 'ok', computer_id: null },
    },
    { action: 'updateOwner', detail: { max_running: 'default', owner: 'alice', id: alice.id } },
    { action: 'updateOwner', detail: { max_running: 3, owner: 'alice', id: alice.id } },
    { action: 'createOwner', detail: { name: 'alice', max_running: 'default', id: alice.id } },
  ];
  expect(own).toMatchObject(expected);
  expect(await entries('/owners/alice/audit')).toEqual(own);
  expect(await entries('/audit')).toMatchObject([
    { action: 'createOwner', outcome: 'name_taken', detail: { name: 'alice' } },
    ...expected,
  ]);
  expect(JSON.stringify(own)).not.toContain((created.json as { key: string }).key);
});

promise(
  4,
  "an owner's audit log has the ids of an administrator's keys, not their names",
  async () => {
    const keyNames = async (path: string, more: Sending = {}) =>
      (await entries(path, more)).map(({ key_name }) => key_name);
    await asAlice('POST', '/projects', { body: { name: 'p' } });
    const { authorization } = alice;
    expect(await keyNames('/audit', { authorization })).toEqual(['default', null]);
    expect(await keyNames('/owners/alice/audit')).toEqual(['default', null]);
    expect(await keyNames('/audit')).toEqual(['default']);
  },
);

it("a deleted owner's audit entries are kept, and record who deleted it", async () => {
  const desk = await makeDesk();
  await asAlice('DELETE', `/computers/${desk}`);
  await app.send('DELETE', '/api/owners/alice');
  await app.send('DELETE', '/api/owners/alice?force=1');
  const deletion = {
    ...{ action: 'deleteOwner', key_id: ownKey, outcome: 'ok', computer_id: null },
    detail: { force: true, owner: 'alice', id: alice.id },
  };
  const refused = { action: 'deleteOwner', outcome: 'conflict' };
  expect(await entries(`/owners/${alice.id}/audit`)).toMatchObject([
    deletion,
    refused,
    { action: 'deleteComputer', computer_id: desk, key_id: alice.keyId },
    { action: 'createComputer' },
    { action: 'createProject' },
    { action: 'createOwner' },
  ]);
  expect((await entries('/audit')).slice(0, 2)).toMatchObject([deletion, refused]);
  const page = await entries(`/owners/${alice.id}/audit?limit=1&computer=${desk}`);
  expect(page).toMatchObject([{ action: 'deleteComputer' }]);
});

it('two concurrent deletions succeed, and a third answers 404', async () => {
  await makeDesk();
  const ask = () => app.send('DELETE', '/api/owners/alice?force=1');
  const { passed, open } = gate();
  app.world.engine.gates.set('remove', passed);
  const remove = vi.spyOn(app.world.fleet.owners, 'remove');
  const answers = [ask(), ask()];
  await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(2));
  open();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await ask()).status).toBe(404);
});

it('an owner sees the templates of its own shapes only', async () => {
  await makeDesk();
  const shape = { ram: 2, resolution: { width: 1280, height: 800 }, bytes: 1, stale: false };
  const template = (key: string, cpu: number) => ({
    ...{ ...shape, key, cpu, image: 'linux', os: 'linux' as const, createdAt: new Date(0) },
  });
  Object.assign(app.world.engine, {
    templates: async () => [template('own', 2), template('of another', 8)],
  });
  const keys = (answer: Answer) =>
    (answer.json.images as { kind: string; key: string }[])
      .filter(({ kind }) => kind === 'template')
      .map(({ key }) => key);
  expect(keys(await asAlice('GET', '/images'))).toEqual(['own']);
  expect(keys(await app.send('GET', '/api/images'))).toEqual(['own', 'of another']);
});
