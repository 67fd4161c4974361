import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp({ maxRunning: 2 });
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  for (const name of ['a', 'b']) {
    await app.send('POST', '/api/projects/shop/computers', { body: { name } });
  }
  await app.send('POST', '/api/projects/shop/computers/a/stop');
});
afterEach(() => app.close());

it.each([
  ['stop', 'stopped', [false, true]],
  ['start', 'running', [true, false]],
  ['restart', 'running', [true, true]],
] as const)('%s of a project reports which computers it changed', async (step, status, changed) => {
  const { json } = await app.send('POST', `/api/projects/shop/${step}`);
  expect(json.success).toBe(true);
  const computers = json.computers as { name: string }[];
  const reported = ['a', 'b'].map((name) => computers.find((one) => one.name === name));
  expect(reported).toEqual(
    ['a', 'b'].map((name, i) => ({
      ...{ id: expect.stringMatching(/^cmp_/), name, status, changed: changed[i] },
    })),
  );
});

const post = (step: string) => app.send('POST', `/api/projects/shop/${step}`);

/** Operations on the whole project in the audit log, the newest first, with the computer's name. */
async function entries(): Promise<unknown[]> {
  const { json } = await app.send('GET', '/api/audit?limit=1000');
  const found = json.entries as { action: string; detail: object; computer_id: string | null }[];
  const { computers } = (await app.send('GET', '/api/projects/shop')).json as {
    computers: { id: string; name: string }[];
  };
  return found
    .filter(({ action }) => /Project$/.test(action) && action !== 'createProject')
    .map(({ action, detail, computer_id }) => {
      const name = computers.find(({ id }) => id === computer_id)?.name;
      return name === undefined ? [action, detail] : [action, name];
    });
}

it('the audit log has one entry for the project, and one for each computer that was changed', async () => {
  for (let i = 0; i < 3; i += 1) await post('stop');
  const unchanged = { project: 'shop', changed: 0, failed: 0 };
  expect(await entries()).toEqual([
    ['stopProject', unchanged],
    ['stopProject', unchanged],
    ['stopProject', { ...unchanged, changed: 1 }],
    ['stopProject', 'b'],
  ]);
});

it('a computer that is refused by the limit of running ones has no entry', async () => {
  await app.send('POST', '/api/projects/shop/computers', { body: { name: 'c' } });
  await post('start');
  await post('start');
  expect(await entries()).toEqual([
    ['startProject', { project: 'shop', changed: 0, failed: 1 }],
    ['startProject', { project: 'shop', changed: 0, failed: 1 }],
  ]);
});

it('a start that fails has an entry, also if the computer was broken before', async () => {
  await post('stop');
  app.world.engine.start = () => Promise.reject(new Error('no start'));
  await post('start');
  await post('start');
  const once = [
    ['startProject', { project: 'shop', changed: 0, failed: 2 }],
    ['startProject', 'b'],
    ['startProject', 'a'],
  ];
  expect((await entries()).slice(0, 6)).toEqual([...once, ...once]);
});

it('computers that several deletions of their project remove have one entry each', async () => {
  const remove = () => app.send('DELETE', '/api/projects/shop');
  await Promise.all([remove(), remove(), remove()]);
  const { json } = await app.send('GET', '/api/audit?limit=1000');
  const found = json.entries as { action: string; computer_id: string | null }[];
  const removed = found.flatMap(({ action, computer_id }) =>
    action === 'deleteProject' && computer_id !== null ? [computer_id] : [],
  );
  expect(removed).toHaveLength(2);
  expect(new Set(removed).size).toBe(2);
});
