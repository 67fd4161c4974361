import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { gate } from '../../support/fake-engine.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp({ maxRunning: 10 });
  for (const name of ['p', 'q']) await app.send('POST', '/api/projects', { body: { name } });
});
afterEach(() => app.close());

const create = (body: object) => app.send('POST', '/api/computers', { body });
const page = async (query = '') => {
  const { status, json } = await app.send('GET', `/api/computers${query}`);
  expect(status, JSON.stringify(json)).toBe(200);
  const { computers, next_cursor } = json as {
    computers: { name: string; status: string; url: string }[];
    next_cursor: string | null;
  };
  return { names: computers.map(({ name }) => name).join(' '), computers, next_cursor };
};

it('creates a computer in the project of the body, by name and by id', async () => {
  const { json } = await create({ project: 'p', name: 'one', ram: 4 });
  expect(json).toMatchObject({ name: 'one', project_name: 'p', ram: 4, status: 'running' });
  expect(await create({ project: json.project_id, name: 'two' })).toMatchObject({ status: 200 });
  const { json: log } = await app.send('GET', '/api/audit?limit=1');
  expect(log.entries).toMatchObject([{ action: 'createComputer', detail: { name: 'two' } }]);
});

it.each([
  [{ name: 'x' }, 400, 'project must be the name or id of a project, given once.'],
  [{ project: 7, name: 'x' }, 400, 'project must be the name or id of a project.'],
  [{ project: 'nope', name: 'x' }, 404, 'There is no project "nope".'],
  [{ project: 'p', name: 'x', rma: 2 }, 400, 'The body has no field "rma".'],
])('refuses %j', async (body, status, error) => {
  expect(await create(body)).toMatchObject({ status, json: { error } });
  expect((await page()).names).toBe('');
});

it('lists the computers of all projects page by page, also while some are removed', async () => {
  const ids: string[] = [];
  for (const [name, project] of [
    ['a', 'q'],
    ['b', 'p'],
    ['c', 'q'],
    ['d', 'p'],
    ['e', 'q'],
  ]) {
    ids.push(String((await create({ name, project })).json.id));
  }
  const first = await page('?limit=2');
  expect(first.names).toBe('a b');
  expect(first.computers[0]?.url).toMatch(/^http:/);
  // The last one of the page and the next one are removed meanwhile.
  for (const id of [ids[1], ids[2]]) await app.send('DELETE', `/api/computers/${id}`);
  const second = await page(`?limit=2&cursor=${first.next_cursor}`);
  expect([second.names, second.next_cursor]).toEqual(['d e', null]);
  await app.send('POST', `/api/computers/${ids[3]}/stop`);
  expect((await page('?status=stopped')).names).toBe('d');
  expect((await page('?status=stopped,running')).names).toBe('a d e');
  expect((await page('?status=stopped&status=running')).names).toBe('a d e');
  expect((await page('?status=error')).names).toBe('');
});

it('answers other requests while 270 new computers start', { tags: 'slow' }, async () => {
  await app.close();
  app = await openTestApp({ maxRunning: 270 });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const starting = gate();
  const { engine } = app.world;
  const create = engine.create.bind(engine);
  engine.create = async (spec) => {
    await starting.passed;
    return create(spec);
  };
  const answers: ReturnType<typeof app.send>[] = [];
  // At most 256 requests are processed at once; those that wait for their computer are none of them.
  for (const count of [200, 270]) {
    while (answers.length < count) {
      const body = { project: 'p', name: `n${answers.length}` };
      answers.push(app.send('POST', '/api/computers', { body }));
    }
    await vi.waitFor(
      async () => {
        const { json } = await app.send('GET', '/api/computers?limit=1000');
        expect(json.computers).toHaveLength(count);
      },
      { timeout: 15_000, interval: 250 },
    );
  }
  starting.open();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(270).fill(200));
});

it('never lists a computer of another owner', async () => {
  await create({ project: 'p', name: 'mine' });
  const authorization = `Bearer ${app.world.addOwner('stranger')}`;
  const { json } = await app.send('GET', '/api/computers', { authorization });
  expect(json).toEqual({ computers: [], next_cursor: null });
});

it.each(['limit=0', 'limit=1001', 'limit=x', 'status=runing', 'status=', 'cursor=x', 'crusor=x'])(
  'refuses ?%s',
  async (query) => {
    expect((await app.send('GET', `/api/computers?${query}`)).status).toBe(400);
  },
);

it('older clients call projects workspaces, and start a computer with ensure-running', async () => {
  const { send } = app;
  const { json: made } = await send('POST', '/api/workspaces', { body: { name: 'w' } });
  const listed = (await send('GET', '/api/workspaces')).json.workspaces as { id: string }[];
  expect(listed.map(({ id }) => id)).toContain(made.id);
  const { json: desk } = await create({ workspace_id: made.id, name: 'desk', ram: 16 });
  expect(desk.ram).toBe(16);
  const found = (await send('GET', `/api/workspaces/${made.id}`)).json.computers;
  expect(found).toMatchObject([{ id: desk.id }]);
  await send('POST', `/api/computers/${desk.id}/stop`);
  const { json: running } = await send('POST', `/api/computers/${desk.id}/ensure-running`);
  expect(running).toMatchObject({ id: desk.id, status: 'running' });
  expect((await send('PUT', '/api/workspaces')).status).toBe(405);
  expect((await send('DELETE', `/api/workspaces/${made.id}`)).json).toEqual({ success: true });
});

it('the published creation takes the published sizes only', async () => {
  const body = { name: 'large', ram: 16 };
  const { status, json } = await app.send('POST', '/api/projects/p/computers', { body });
  expect([status, json.error]).toEqual([400, 'ram must be 2, 4 or 8 (GB).']);
});

it.each([
  ['project', 'name'],
  ['project_id', 'id'],
  ['workspace_id', 'id'],
] as const)('a computer is created in the project that %s names', async (field, by) => {
  const project = (await app.send('POST', '/api/projects', { body: { name: `old-${field}` } }))
    .json;
  const wanted = { [field]: project[by], name: 'desk', resolution: '1280x720x24' };
  const { status, json } = await create(wanted);
  expect([status, json.project_id]).toEqual([200, project.id]);
  expect(json.resolution).toEqual({ width: 1280, height: 720 });
  const twice = await create({ ...wanted, project: 'p', workspace_id: 'w' });
  expect([twice.status, twice.json.error]).toEqual([400, expect.stringMatching(/^project must/)]);
});

it('the last hour has the computers that ran, of the owner and the project of the key', async () => {
  for (const project of ['p', 'q']) await create({ project, name: 'one' });
  const off = await create({ project: 'p', name: 'off' });
  await app.send('POST', `/api/computers/${off.json.id}/stop`);
  const { engine, fleet } = app.world;
  await fleet.usageHistory.measure(engine, new AbortController().signal);
  const key = (body: object) => app.send('POST', '/api/keys', { body });
  const ofProject = `Bearer ${(await key({ name: 'p', rights: 'look', project: 'p' })).json.key}`;
  const stranger = `Bearer ${app.world.addOwner('stranger')}`;
  const ids = async (authorization?: string) => {
    const { json } = await app.send('GET', '/api/stats/history', { authorization });
    return (json.computers as { id: string }[]).map(({ id }) => id);
  };
  const all = (await page()).computers as unknown as { id: string; project_name: string }[];
  const [one, other] = all.map(({ id }) => id);
  expect(await ids()).toEqual([one, other]);
  expect(await ids(ofProject)).toEqual([one]);
  expect(await ids(stranger)).toEqual([]);
  const since = (time: string) => app.send('GET', `/api/stats/history?since=${time}`);
  expect((await since('2030-01-01T00:00:00Z')).json).toEqual({ computers: [] });
  expect((await since('2020-01-01T00:00:00Z')).json.computers).toHaveLength(2);
  expect((await since('yesterday')).status).toBe(400);
  const own = await app.send('GET', `/api/computers/${one}/stats/history`);
  expect(own.json).toMatchObject({ id: one, cpu: 2, samples: [{ memory_used_bytes: 3e8 }] });
  const hidden = { authorization: ofProject };
  expect((await app.send('GET', `/api/computers/${other}/stats/history`, hidden)).status).toBe(404);
  const stopped = await app.send('GET', '/api/projects/p/computers/off/stats/history');
  expect(stopped.json).toMatchObject({ id: off.json.id, samples: [] });
});
