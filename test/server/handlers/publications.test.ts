// @module-tag slow
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';

let app: TestApp;
const DESK = '/api/projects/demo/computers/desk';

beforeEach(async () => {
  app = await openTestApp();
  for (const project of ['demo', 'other']) {
    await app.send('POST', '/api/projects', { body: { name: project } });
    await app.send('POST', `/api/projects/${project}/computers`, { body: { name: 'desk' } });
  }
});
afterEach(() => app.close());

const publish = (body: object, more: { path?: string; authorization?: string } = {}) => {
  const { path = DESK, ...key } = more;
  return app.send('POST', `${path}/publications`, { body, ...key });
};
const list = async (key: { authorization?: string } = {}) => {
  const { json } = await app.send('GET', '/api/publications', key);
  return json.publications as { project: string; port: number; url: string }[];
};

/** A key with fewer rights; returns its id, and the options of a request with it. */
async function newKey(body: object) {
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'second', ...body } });
  return { id: String(json.id), authorization: `Bearer ${json.key}` };
}

test('ports are published, listed and ended', async () => {
  const { json, status } = await publish({ port: 8000 });
  expect(status).toBe(200);
  const url = expect.stringMatching(/^http:\/\/8000-desk-[0-9a-z]{26}\.localhost:4700\/$/);
  expect(json).toMatchObject({
    ...{ port: 8000, computer: 'desk', project: 'demo', public: false, url },
    ...{ expires_at: null, created_at: expect.any(String), computer_id: expect.any(String) },
  });
  expect(json.link).toMatch(/^http:\/\/8000-.+\/\?vc_ticket=vt_[0-9a-z]{32}$/);
  const open = await publish({ port: 80, public: true, expires_in: 60 });
  expect(open.json).toMatchObject({ public: true, link: open.json.url });
  const left = Date.parse(String(open.json.expires_at)) - Date.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(60_000);
  await publish({ port: 1 }, { path: '/api/projects/other/computers/desk' });
  expect((await list()).map(({ project, port }) => [project, port])).toEqual([
    ['demo', 80],
    ['demo', 8000],
    ['other', 1],
  ]);
  // A link is shown once, and not stored.
  expect(JSON.stringify(await list())).not.toContain('vt_');
  expect((await app.send('DELETE', `${DESK}/publications/80`)).json).toEqual({ success: true });
  const again = await app.send('DELETE', `${DESK}/publications/80`);
  expect(again.status).toBe(404);
  expect(again.text).toContain('There is no published port');
  const { json: history } = await app.send('GET', `${DESK}/actions`);
  expect((history.actions as unknown[]).slice(0, 4)).toMatchObject([
    { action: 'deletePublication', detail: { port: '80' }, outcome: 'not_found' },
    { action: 'deletePublication', detail: { port: '80' }, outcome: 'ok' },
    { action: 'createPublication', detail: { port: 80, public: true, expires_in: 60 } },
    { action: 'createPublication', detail: { port: 8000, public: false } },
  ]);
  await app.send('DELETE', '/api/projects/other/computers/desk');
  expect((await list()).map(({ port }) => port)).toEqual([8000]);
});

test.each([
  [{ port: 0 }, 'port'],
  [{ port: 65_536 }, 'port'],
  [{ port: 80.5 }, 'port'],
  [{ port: '80' }, 'port'],
  [{}, 'port'],
  [{ port: 80, public: 'yes' }, 'public'],
  [{ port: 80, expires_in: 59 }, 'expires_in'],
  [{ port: 80, expires_in: 31_536_001 }, 'expires_in'],
])('%j is refused', async (body, field) => {
  const answer = await publish(body);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(field);
  expect(await list()).toEqual([]);
});

test('a port is published once, and a computer has a bounded number', async () => {
  await publish({ port: 80 });
  const twice = await publish({ port: 80, public: true });
  expect(twice.status).toBe(400);
  expect(twice.headers['x-error-code']).toBe('name_taken');
  expect(twice.headers['x-error-remedy']).toContain('vc unpublish demo/desk 80');
  for (let port = 1; port < 20; port++) await publish({ port });
  const more = await publish({ port: 8000 });
  expect(more.headers['x-error-code']).toBe('limit_reached');
  expect(await list()).toHaveLength(20);
  expect((await publish({ port: 1 }, { path: '/api/projects/demo/computers/none' })).status).toBe(
    404,
  );
});

test('keys need rights, see their project, and take what they have published with them', async () => {
  const looking = await newKey({ rights: 'look' });
  expect((await publish({ port: 80 }, looking)).status).toBe(403);
  const acting = await newKey({ name: 'third', rights: 'act', project: 'demo' });
  expect((await publish({ port: 80 }, acting)).status).toBe(200);
  await publish({ port: 90 });
  const other = '/api/projects/other/computers/desk';
  await publish({ port: 80 }, { path: other });
  expect((await publish({ port: 90 }, { path: other, ...acting })).status).toBe(404);
  // The address of a public one is all that its program needs.
  expect((await app.send('GET', '/api/publications', looking)).status).toBe(403);
  expect((await list(acting)).map(({ project, port }) => [project, port])).toEqual([
    ['demo', 80],
    ['demo', 90],
  ]);
  expect((await app.send('DELETE', `${DESK}/publications/90`, looking)).status).toBe(403);
  // Fewer rights end what needs more.
  await app.send('PATCH', `/api/keys/${acting.id}`, { body: { rights: 'look' } });
  expect((await app.send('GET', '/api/publications', acting)).status).toBe(403);
  expect(
    (await list()).filter(({ project }) => project === 'demo').map(({ port }) => port),
  ).toEqual([90]);
  expect((await publish({ port: 80 })).status).toBe(200);
  await app.send('DELETE', `${DESK}/publications/80`);
  const revoked = await newKey({ name: 'fourth' });
  await publish({ port: 80 }, revoked);
  await app.send('DELETE', `/api/keys/${revoked.id}`);
  expect((await list()).map(({ project }) => project)).toEqual(['demo', 'other']);
  expect((await publish({ port: 81 }, revoked)).status).toBe(401);
  expect((await publish({ port: 80 })).status).toBe(200);
});

test('one that has expired is gone, and its port is free', async () => {
  const { json } = await publish({ port: 80, expires_in: 60 });
  const label = new URL(String(json.url)).hostname.split('.')[0] ?? '';
  const { publications } = app.world.store;
  const row = publications.find(label);
  if (row === undefined) throw new Error('there is no row');
  const { owner_id: _, project_id: __, computer: ___, project: ____, ...columns } = row;
  publications.remove(label);
  publications.insert({ ...columns, expires_at: new Date(Date.now() - 1).toISOString() });
  expect(await list()).toEqual([]);
  expect((await app.send('GET', '/', { headers: { host: `${label}.localhost` } })).status).toBe(
    404,
  );
  expect((await app.send('DELETE', `${DESK}/publications/80`)).status).toBe(404);
  expect((await publish({ port: 80 })).status).toBe(200);
});
