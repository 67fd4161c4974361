import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { FakeEngine } from '../../../support/fake-engine.js';
import { FakeClusteredEngine } from '../../../support/memory-engine/clustered-engine.js';

let engine: FakeClusteredEngine;
let app: TestApp;
const open = async (given: FakeEngine) => {
  app = await openTestApp({ engine: given, maxRunning: 9 });
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
};
beforeEach(async () => {
  engine = new FakeClusteredEngine();
  await open(engine);
});
afterEach(() => app.close());

const create = (name: string, where: object) =>
  app.send('POST', '/api/projects/demo/computers', { body: { name, ...where } });

it('computers are created on a member, in a group, or where the cluster chooses', async () => {
  expect((await create('a', { member: 'm2' })).json).toMatchObject({ member: 'm2' });
  expect((await create('b', { group: 'fast' })).json).toMatchObject({ member: 'm2' });
  expect((await create('c', {})).json).toMatchObject({ member: 'm1' });
  const { json } = await app.send('GET', '/api/cluster/members');
  expect(json.members).toMatchObject([
    { name: 'm1', engine: 'docker', computer_count: 1, cpu: 2, disk_total_bytes: 4 },
    { name: 'm2', computer_count: 2, running_count: 2, cpu: null, memory_used_bytes: null },
    { name: 'm3', status: 'offline', computer_count: 0 },
  ]);
  const [stopped] = engine.calls.filter((call) => call.startsWith('create'));
  await app.send('POST', `/api/computers/${stopped?.split(' ')[1]}/stop`);
  expect((await app.send('GET', '/api/cluster/members/m2')).json).toMatchObject({
    ...{ computer_count: 2, running_count: 1 },
  });
  const one = await app.send('GET', '/api/cluster/members/m1');
  expect(one.json).toEqual((json.members as unknown[])[0]);
});

it('a computer that the cluster has moved says so', async () => {
  const { json } = await create('a', { member: 'm1' });
  engine.places.set(String(json.id), 'm2');
  app = await app.restart();
  const path = `/api/computers/${json.id}`;
  await eventually(async () => (await app.send('GET', path)).json.member === 'm2');
});

it.each([
  [{ member: 'm9' }, 400, 'The cluster has no member "m9"; it has: m1, m2, m3.'],
  [{ group: 'big' }, 400, 'The cluster has no group "big"; it has: default, fast, slow.'],
  [{ member: 'm3' }, 400, 'The cluster member "m3" is offline.'],
  [{ group: 'slow' }, 400, 'No member of the cluster group "slow" is online.'],
  [{ member: 'm1', group: 'fast' }, 400, 'member cannot be given together with group.'],
  [{ member: '../x' }, 400, 'member must be the name of a member: a-z, A-Z, 0-9, ".", "_", "-".'],
])('%j is refused and creates nothing', async (where, status, error) => {
  const answer = await create('a', where);
  expect([answer.status, answer.json.error]).toEqual([status, error]);
  expect((await app.send('GET', '/api/projects/demo/computers')).json.computers).toEqual([]);
  expect(engine.calls.filter((call) => call.startsWith('create'))).toEqual([]);
});

it('an unknown member is not found', async () => {
  const { status, json } = await app.send('GET', '/api/cluster/members/m9');
  expect([status, json.error]).toEqual([404, 'There is no cluster member "m9".']);
});

it('members are hidden from owners who are not administrators', async () => {
  const key = app.world.addOwner('alice');
  for (const path of ['/api/cluster/members', '/api/cluster/members/m1']) {
    expect((await app.send('GET', path, { authorization: `Bearer ${key}` })).status).toBe(404);
  }
});

it('an engine without members says what to do', async () => {
  await app.close();
  await open(new FakeEngine());
  const { status, json, headers } = await app.send('GET', '/api/cluster/members');
  expect([status, json.error]).toEqual([
    400,
    'This service has no cluster: its engine "docker" runs computers on one machine.',
  ]);
  expect(headers['x-error-remedy']).toMatch(/docs\/cluster\.md/);
  expect((await create('a', { member: 'm1' })).json.error).toBe(
    'The engine "docker" has no cluster members to choose from.',
  );
});

it('an administrator drains a member and returns it, which the audit log names', async () => {
  await create('a', { member: 'm1' });
  const drained = await app.send('POST', '/api/cluster/members/m1/drain');
  expect(drained.json).toMatchObject({ name: 'm1', drain: { failed: [] } });
  const get = async () => (await app.send('GET', '/api/cluster/members/m1')).json;
  await eventually(async () => (await get()).status === 'drained');
  expect((await app.send('POST', '/api/cluster/members/m1/return')).json).toMatchObject({
    ...{ status: 'online', computer_count: 0, drain: null },
  });
  const { entries } = (await app.send('GET', '/api/audit')).json as { entries: object[] };
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'drainMember', detail: { member: 'm1' } }),
      expect.objectContaining({ action: 'moveComputer', detail: { from: 'm1', to: 'm2' } }),
      expect.objectContaining({ action: 'returnMember', outcome: 'ok' }),
    ]),
  );
  expect((await app.send('POST', '/api/cluster/members/m9/drain')).status).toBe(404);
});

it('only sessions that may list members are told of a cluster', async () => {
  const headers = { 'content-type': 'application/json', 'x-vc-page': '1' };
  const hasMembers = async (key: string) => {
    const at = { origin: `http://127.0.0.1:${app.port}` };
    const sent = { body: { key }, authorization: null, headers: { ...headers, ...at } };
    return (await app.send('POST', '/api/sessions', sent)).json.has_members;
  };
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'a', rights: 'act' } });
  expect(await hasMembers(app.world.key)).toBe(true);
  expect(await hasMembers(String(json.key))).toBe(false);
  expect(await hasMembers(app.world.addOwner('alice'))).toBe(false);
  await app.close();
  await open(new FakeEngine());
  expect(await hasMembers(app.world.key)).toBe(false);
});
