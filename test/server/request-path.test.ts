// @module-tag slow
import Database from 'libsql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTestApp, type TestApp } from '../support/app.js';
import { passedFunctions } from '../support/passed-functions.js';

let app: TestApp;
let id: string;

const byName = '/api/projects/shop/computers/desk';
const click = { body: { x: 1, y: 2 } };

beforeEach(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  const { json } = await app.send('POST', '/api/projects/shop/computers', {
    body: { name: 'desk' },
  });
  id = String(json.id);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await app.close();
});

/**
 * Counts the database reads of `work`. The service may read something else at the same time, which only
 * adds to a count, so it is the least of some.
 */
async function readsOf(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) least = Math.min(least, await countReads(work));
  return least;
}

async function countReads(work: () => Promise<unknown>): Promise<number> {
  const database = new Database(':memory:');
  const prototype = Object.getPrototypeOf(database.prepare('SELECT 1'));
  const spies = [vi.spyOn(prototype, 'get'), vi.spyOn(prototype, 'all')];
  await work();
  const reads = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  for (const spy of spies) spy.mockRestore();
  database.close();
  return reads;
}

/** Blocks every following `type` at the screen until the returned function is called. */
async function holdTyping(): Promise<{ readonly begun: Promise<unknown>; end(): void }> {
  await app.send('POST', `${byName}/move`, click);
  const screen = app.world.connectors.screens.at(-1);
  if (screen === undefined) throw new Error('no screen was opened');
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const type = vi.spyOn(screen, 'type').mockImplementation(() => held);
  return { begun: vi.waitFor(() => expect(type).toHaveBeenCalled()), end };
}

const inputs = () => app.world.connectors.screens.flatMap((screen) => screen.inputs);

it('a click reads the database once by name, and not at all by id', async () => {
  const send = (path: string) => async () => {
    expect((await app.send('POST', path, click)).status).toBe(200);
  };
  await send(`/api/computers/${id}/click`)();
  expect(await readsOf(send(`/api/computers/${id}/click`))).toBe(0);
  expect(await readsOf(send(`${byName}/click`))).toBe(1);
});

it.each([
  { name: 'click', method: 'POST', path: '/click', options: click, functions: 150, files: 50 },
  { name: 'GET of a computer', method: 'GET', path: '', options: {}, functions: 100, files: 35 },
])(
  'a warm $name passes at most $functions functions in $files files',
  async ({ name, method, path, options, functions, files }) => {
    const work = async () => {
      expect((await app.send(method, `${byName}${path}`, options)).status).toBe(200);
    };
    for (let count = 0; count < 3; count++) await work();
    const passed = await passedFunctions(work);
    console.log(`${name}: ${passed.functions.length} functions in ${passed.files.length} files`);
    expect(passed.functions.length, passed.functions.join('\n')).toBeLessThanOrEqual(functions);
    expect(passed.files.length, passed.files.join('\n')).toBeLessThanOrEqual(files);
  },
  60_000,
);

it('a click looks up its key and its computer once', async () => {
  const { keys, computers } = app.world.store;
  await app.send('POST', `${byName}/click`, click);
  const key = vi.spyOn(keys, 'find');
  const byHash = vi.spyOn(keys, 'findByHash');
  const row = vi.spyOn(computers, 'findById');
  const address = vi.spyOn(computers, 'findByAddress');
  const control = vi.spyOn(app.world.fleet.control, 'check');
  await app.send('POST', `${byName}/click`, click);
  expect([key, byHash, row, address].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0, 1]);
  expect(control).toHaveBeenCalledTimes(1);
  await app.send('POST', `/api/computers/${id}/click`, click);
  expect([key, byHash, row, address].map(({ mock }) => mock.calls.length)).toEqual([2, 0, 1, 1]);
  expect(control).toHaveBeenCalledTimes(2);
});

it('a wrong key reads nothing', async () => {
  const refused = async () => {
    const answer = await app.send('GET', '/api/projects', { authorization: 'Bearer wrong' });
    expect(answer.status).toBe(401);
  };
  expect(await readsOf(refused)).toBe(0);
});

it('a new name and a deletion take effect at once', async () => {
  await app.send('POST', `${byName}/click`, click);
  await app.send('PATCH', byName, { body: { name: 'table' } });
  expect((await app.send('POST', `${byName}/click`, click)).status).toBe(404);
  const renamed = '/api/projects/shop/computers/table';
  expect((await app.send('POST', `${renamed}/click`, click)).status).toBe(200);
  await app.send('POST', `${renamed}/stop`);
  const stopped = await app.send('POST', `/api/computers/${id}/click`, click);
  expect(stopped.json.error).toContain('"table" is stopped');
  await app.send('DELETE', renamed);
  expect((await app.send('POST', `/api/computers/${id}/click`, click)).status).toBe(404);
});

it('a write that is rolled back does not change the computer', async () => {
  const { store } = app.world;
  expect(() =>
    store.transaction(() => {
      const row = store.computers.findById(id);
      if (row) store.computers.update({ ...row, name: 'other' });
      expect(store.computers.findById(id)?.name).toBe('other');
      throw new Error('rolled back');
    }),
  ).toThrow('rolled back');
  expect(store.computers.findById(id)?.name).toBe('desk');
  expect((await app.send('POST', `${byName}/click`, click)).status).toBe(200);
});

it('a queued click is refused when the computer was deleted or stopped meanwhile', async () => {
  for (const [method, path, status] of [
    ['POST', `${byName}/stop`, 400],
    ['DELETE', byName, 404],
  ] as const) {
    await app.send('POST', `${byName}/start`);
    const typing = await holdTyping();
    const typed = app.send('POST', `${byName}/type`, { body: { text: 'a' } });
    await typing.begun;
    const clicked = app.send('POST', `${byName}/click`, click);
    await app.send(method, path);
    typing.end();
    await typed;
    expect((await clicked).status).toBe(status);
  }
  expect(inputs().filter((input) => input.startsWith('left'))).toEqual([]);
});

it('a queued click is performed when the computer was renamed meanwhile', async () => {
  const typing = await holdTyping();
  const typed = app.send('POST', `${byName}/type`, { body: { text: 'a' } });
  await typing.begun;
  const clicked = app.send('POST', `${byName}/click`, click);
  await app.send('PATCH', byName, { body: { name: 'table' } });
  typing.end();
  expect((await typed).status).toBe(200);
  expect((await clicked).status).toBe(200);
});

it('a click that is queued with a revoked key is never performed', async () => {
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'second' } });
  const authorization = `Bearer ${json.key}`;
  const typing = await holdTyping();
  const typed = app.send('POST', `${byName}/type`, { body: { text: 'a' } });
  await typing.begun;
  const clicked = app.send('POST', `${byName}/click`, { ...click, authorization });
  const ended = expect(clicked).rejects.toThrow();
  await vi.waitFor(async () => {
    expect((await app.send('GET', '/api/keys')).json.keys).toHaveLength(2);
  });
  await app.send('DELETE', `/api/keys/${json.id}`);
  await ended;
  typing.end();
  await typed;
  expect((await app.send('GET', '/api/projects', { authorization })).status).toBe(401);
  await app.send('POST', `${byName}/move`, click);
  expect(inputs().filter((input) => input.startsWith('left'))).toEqual([]);
});
