import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(() => app.close());

const send = (method: string, path: string, body?: object, key = app.world.key) =>
  app.send(method, `/api${path}`, { authorization: `Bearer ${key}`, body });
const create = async (name: string, tasks: readonly string[]) =>
  String((await send('POST', '/runs', { name, tasks })).json.id);
const runs = async () => (await send('GET', '/runs')).json.runs as { id: string }[];

test('a run shows its tasks in their order, with their state and picture', async () => {
  const id = await create('office', ['write', 'a']);
  expect(await runs()).toMatchObject([
    {
      ...{ id, name: 'office' },
      tasks: [
        { name: 'write', status: 'waiting', seconds: null, has_picture: false },
        { name: 'a', status: 'waiting' },
      ],
    },
  ]);
  const picture = Buffer.from('a picture').toString('base64');
  const state = { status: 'failed', message: 'Not met.', seconds: 1.5, picture };
  expect((await send('PUT', `/runs/${id}/tasks/write`, state)).status).toBe(200);
  expect(await runs()).toMatchObject([
    {
      tasks: [
        { name: 'write', status: 'failed', message: 'Not met.', seconds: 1.5, has_picture: true },
        { name: 'a' },
      ],
    },
  ]);
  const { text, headers } = await send('GET', `/runs/${id}/tasks/write/picture`);
  expect([text, headers['content-type']]).toEqual(['a picture', 'image/jpeg']);
  expect((await send('GET', `/runs/${id}/tasks/a/picture`)).status).toBe(404);
  expect((await send('PUT', `/runs/${id}/tasks/none`, state)).status).toBe(404);
});

test('a computer that was deleted is left out', async () => {
  await send('POST', '/projects', { name: 'shop' });
  const computer = await send('POST', '/projects/shop/computers', { name: 'desk' });
  const id = await create('office', ['one']);
  const { id: computer_id } = computer.json;
  await send('PUT', `/runs/${id}/tasks/one`, { status: 'running', computer_id });
  expect(await runs()).toMatchObject([{ tasks: [{ computer_id }] }]);
  await send('DELETE', `/computers/${computer_id}`);
  expect(await runs()).toMatchObject([{ tasks: [{ computer_id: null }] }]);
});

test('the oldest runs are deleted beyond 2,000 tasks', async () => {
  const tasks = Array.from({ length: 900 }, (_, at) => `task-${at}`);
  const ids = [await create('a', tasks), await create('b', tasks), await create('c', tasks)];
  expect((await runs()).map(({ id }) => id).sort()).toEqual(ids.slice(1).sort());
});

test('what is not possible is refused', async () => {
  const id = await create('office', ['one']);
  const path = `/runs/${id}/tasks/one`;
  for (const [method, to, body, message] of [
    ['POST', '/runs', { name: 'a/b', tasks: ['x'] }, /^name must be 1 to 63/],
    ['POST', '/runs', { name: 'a', tasks: ['x', 'x'] }, /^tasks must not have a name twice/],
    ['POST', '/runs', { name: 'a', tasks: [] }, /^tasks must have at least one/],
    ['PUT', path, { status: 'done' }, /^status must be waiting/],
    ['PUT', path, { status: 'passed', picture: 'x'.repeat(90_000) }, /^picture must be/],
    ['PUT', path, { status: 'passed', picture: '<svg>' }, /^picture must be base64/],
  ] as const) {
    const { status, json } = await send(method, to, body);
    expect([status, json.error]).toEqual([400, expect.stringMatching(message)]);
  }
});
