import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';

const PATH = '/api/projects/p/computers/a';

let app: TestApp;
let id: string;
beforeEach(async () => {
  app = await openTestApp({ engine: new FakeSnapshottingEngine() });
  const { connectors } = app.world;
  const { openScreen } = connectors;
  const opening: typeof openScreen = async (...given) =>
    Object.assign(await openScreen(...given), {
      screenshot: async () => ({ data: Buffer.from('a'), format: 'png', width: 1280, height: 800 }),
    });
  Object.assign(connectors, { openScreen: opening });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  id = String(json.id);
});
afterEach(() => app.close());

const send = (method: string, path: string, body?: object, key = app.world.key) =>
  app.send(method, `${PATH}${path}`, { authorization: `Bearer ${key}`, ...(body && { body }) });
const click = () => send('POST', '/click', { x: 1, y: 1 });
const names = async () => {
  const { json } = await send('GET', '/snapshots');
  return (json.snapshots as { name: string }[]).map(({ name }) => name);
};
/** The lines of the trajectory about steps and snapshots, without times and pictures. */
const lines = () =>
  readFileSync(join(app.world.directory, 'trajectories', id, 'files/trajectory.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type === 'step' || type === 'snapshot')
    .map(({ type, step, name, error }) => ({ type, step, name, error }));
const step = (number: number) => ({ type: 'step', step: number });
const snapshot = (number: number, name: string) => ({ type: 'snapshot', step: number, name });

it('makes a snapshot after each so many steps, also within a batch, and writes after which', async () => {
  expect((await send('POST', '/trajectory', { snapshots: { every: 2 } })).status).toBe(200);
  for (let count = 0; count < 3; count++) expect((await click()).status).toBe(200);
  expect(await names()).toEqual(['step-2']);
  const actions = [
    { action: 'click', x: 1, y: 1 },
    { action: 'move', x: 1, y: 1 },
  ];
  expect((await send('POST', '/batch', { actions })).json).toMatchObject({ success: true });
  expect(await names()).toEqual(['step-2', 'step-4']);
  await send('POST', '/snapshots', { name: 'logged-in' });
  const { json } = await send('POST', '/trajectory/end');
  expect(json).toMatchObject({ steps: 5, snapshots: 3 });
  // The last step is written when its picture is there.
  expect(lines().slice(0, 6)).toEqual([
    ...[step(1), step(2), snapshot(2, 'step-2'), step(3), step(4), snapshot(4, 'step-4')],
  ]);
  expect(lines()).toContainEqual(snapshot(5, 'logged-in'));
});

it('an action succeeds although its snapshot cannot be made, and no other is tried', async () => {
  await send('POST', '/trajectory', { snapshots: { every: 1 } });
  await send('POST', '/snapshots', { name: 'step-1' });
  for (let count = 0; count < 2; count++) expect((await click()).status).toBe(200);
  const { json } = await send('POST', '/trajectory/end');
  const error = 'The computer "a" has a snapshot named "step-1" already.';
  expect(json).toMatchObject({ steps: 2, snapshots: 1, snapshot_error: error });
  expect(await names()).toEqual(['step-1']);
  expect(lines()).toContainEqual({ ...snapshot(1, 'step-1'), error });
});

it('names that are taken are an error before anything is recorded', async () => {
  await send('POST', '/snapshots', { name: 'step-4' });
  const { status, headers, json } = await send('POST', '/trajectory', { snapshots: { every: 2 } });
  expect([status, headers['x-error-code']]).toEqual([400, 'name_taken']);
  expect(json.error).toContain('"step-4" already');
  expect(headers['x-error-remedy']).toContain('vc snapshot rm p/a step-4');
  expect((await send('GET', '/trajectory')).status).toBe(404);
  expect((await send('POST', '/trajectory', {})).status).toBe(200);
});

it('needs the right to manage, and a number of steps', async () => {
  const body = { name: 'actor', rights: 'act' };
  const { json } = await app.send('POST', '/api/keys', { body });
  const asActor = (given: object) => send('POST', '/trajectory', given, String(json.key));
  expect((await asActor({ snapshots: { every: 2 } })).status).toBe(403);
  expect((await asActor({})).status).toBe(200);
  await send('DELETE', '/trajectory');
  for (const snapshots of [5, {}, { every: 0 }, { every: 1001 }, { every: '2' }]) {
    expect((await send('POST', '/trajectory', { snapshots })).status).toBe(400);
  }
});
