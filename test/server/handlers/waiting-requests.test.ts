// @module-tag slow
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { FakeSnapshottingEngine, gate } from '../../support/fake-engine.js';

let app: TestApp;
let key: { readonly id: string; readonly authorization: string };
beforeEach(async () => {
  app = await openTestApp({ engine: new FakeSnapshottingEngine(), maxRunning: 5 });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'agent' } });
  key = { id: String(json.id), authorization: `Bearer ${json.key}` };
});
afterEach(() => app.close());

const names = async () => {
  const { json } = await app.send('GET', '/api/projects/p');
  return (json.computers as { name: string; status: string }[]).map(({ name }) => name);
};
const status = async (id: unknown) => (await app.send('GET', `/api/computers/${id}`)).json.status;

/** What may happen to a key while its request waits. */
const changes: [string, () => Promise<unknown>][] = [
  ['was removed', () => app.send('DELETE', `/api/keys/${key.id}`)],
  [
    'has fewer rights',
    () => app.send('PATCH', `/api/keys/${key.id}`, { body: { rights: 'look' } }),
  ],
  [
    'has expired',
    async () => {
      const expires_at = new Date(Date.now() + 30).toISOString();
      await app.send('PATCH', `/api/keys/${key.id}`, { body: { expires_at } });
      await new Promise((resolve) => setTimeout(resolve, 50));
    },
  ],
];

it.each(changes)('nothing is copied by a key that %s while it waited', async (_, change) => {
  const started = gate();
  app.world.engine.gates.set('start', started.passed);
  const create = { body: { name: 'source' } };
  const { json } = await app.send('POST', '/api/projects/p/computers?wait=0', create);
  const path = `/api/computers/${json.id}/fork?wait=0`;
  const fork = app.send('POST', path, { ...key, body: { name: 'copy' } });
  const answered = fork.then(
    ({ status }) => status,
    () => 'disconnected',
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  await change();
  started.open();
  expect([401, 403, 'disconnected']).toContain(await answered);
  await eventually(async () => (await status(json.id)) === 'running');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await names()).toEqual(['source']);
});

it.each(['computers/ID', 'projects/p'])(
  'nothing of %s is started by a key that was removed while it waited',
  async (subject) => {
    const create = { body: { name: 'source' } };
    const { json } = await app.send('POST', '/api/projects/p/computers', create);
    const stopped = gate();
    app.world.engine.gates.set('stop', stopped.passed);
    const stopping = app.send('POST', `/api/computers/${json.id}/stop`);
    await eventually(async () => (await status(json.id)) === 'stopping');
    const path = `/api/${subject.replace('ID', String(json.id))}/restart`;
    const restart = app.send('POST', path, key).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await app.send('DELETE', `/api/keys/${key.id}`);
    stopped.open();
    await Promise.all([restart, stopping]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await status(json.id)).toBe('stopped');
  },
);
