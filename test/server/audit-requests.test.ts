import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildApp } from '../../src/server/app.js';
import { openTestFleet, type TestFleet } from '../support/fleet.js';

let test: TestFleet;
let app: FastifyInstance;
let desk: string;

async function open(): Promise<void> {
  const options = { reachable: { hosts: [] }, version: '0.0.0', log: pino({ level: 'silent' }) };
  app = await buildApp({ ...options, fleet: test.fleet });
}

async function call(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) {
  const headers = { authorization: `Bearer ${test.key}`, host: '127.0.0.1' };
  const response = await app.inject({ method, url: `/api${path}`, headers, payload });
  return { status: response.statusCode, json: response.json() };
}

async function history(query = '') {
  const { json } = await call('GET', `/computers/${desk}/actions${query}`);
  return json.actions as { id: number; action: string; detail: object; outcome: string }[];
}

beforeEach(async () => {
  test = await openTestFleet();
  await open();
  await call('POST', '/projects', { name: 'demo' });
  desk = (await call('POST', '/projects/demo/computers', { name: 'desk' })).json.id;
});
afterEach(async () => {
  await app.close();
  await test.close();
});

it('lists actions with their keys, newest first, under both paths of a computer', async () => {
  await call('POST', `/computers/${desk}/click`, { x: 3, y: 4, button: 'right' });
  await call('POST', '/projects/demo/computers/desk/stop');
  const [stop, click, create] = await history();
  expect(stop).toMatchObject({ action: 'stopComputer', outcome: 'ok' });
  expect(click).toMatchObject({ action: 'click', detail: { x: 3, y: 4, button: 'right' } });
  expect(create).toMatchObject({
    action: 'createComputer',
    key_id: expect.stringMatching(/^key_/),
  });
});

it('names the key of an entry, also when it was revoked', async () => {
  const created = (await call('POST', '/keys', { name: 'agent' })).json;
  const headers = { authorization: `Bearer ${created.key}`, host: '127.0.0.1' };
  const payload = { x: 1, y: 1 };
  await app.inject({ method: 'POST', url: `/api/computers/${desk}/move`, headers, payload });
  const [move, create] = await history();
  expect(move).toMatchObject({ action: 'move', key_id: created.id, key_name: 'agent' });
  expect(create).toMatchObject({ action: 'createComputer', key_name: 'default' });
  await call('DELETE', `/keys/${created.id}`);
  expect((await history())[0]).toMatchObject({ key_id: created.id, key_name: 'agent' });
  const { entries } = (await call('GET', '/audit')).json;
  expect(entries[0]).toMatchObject({ action: 'deleteKey', key_name: 'default' });
});

it('logs lengths, never a text, a command, code or a typed character', async () => {
  await call('POST', `/computers/${desk}/type`, { text: 'hunter2' });
  await call('POST', `/computers/${desk}/bash`, { command: 'echo hunter2' });
  await call('POST', `/computers/${desk}/exec`, { code: 'print("hunter2")' });
  await call('POST', `/computers/${desk}/key`, { key: 'h' });
  await call('POST', `/computers/${desk}/key`, { key: 'shift+H' });
  await call('POST', `/computers/${desk}/key`, { key: 'ctrl+c' });
  const actions = await history();
  expect(JSON.stringify(actions)).not.toContain('hunter2');
  expect(actions.slice(0, 6).map(({ detail }) => detail)).toEqual([
    { key: 'ctrl+c' },
    { key_length: 7 },
    { key_length: 1 },
    { code_length: 16, timeout: 10 },
    { command_length: 12, timeout: 200, background: false },
    { text_length: 7 },
  ]);
});

it('logs keyboard keys by name, unless they type a character or do not exist', async () => {
  for (const key of ['hunter2', 'exclam', 'U0041', 'KP_7', 'AltGr+e', 'Return', 'alt+F4']) {
    await call('POST', `/computers/${desk}/key`, { key });
  }
  expect((await history()).slice(0, 7).map(({ detail }) => detail)).toEqual([
    { key: 'alt+F4' },
    { key: 'Return' },
    { key_length: 7 },
    { key_length: 4 },
    { key_length: 5 },
    { key_length: 6 },
    { key_length: 7 },
  ]);
});

it('logs refused requests, but no requests that only read', async () => {
  await call('POST', `/computers/${desk}/stop`);
  await call('GET', `/computers/${desk}`);
  await call('POST', `/computers/${desk}/click`, { x: 1, y: 1 });
  const [click, stop] = await history();
  expect(click).toMatchObject({ action: 'click', outcome: 'not_running' });
  expect(stop).toMatchObject({ action: 'stopComputer' });
});

it('counts the actions of a batch and of a turn of a model, so that none can be hidden', async () => {
  const of = (count: number, action: object) => Array.from({ length: count }, () => action);
  const actions = [
    ...of(50, { action: 'move', x: 1, y: 1 }),
    ...of(48, { action: 'screenshot' }),
    { action: 'bash', command: 'true' },
  ];
  await call('POST', `/computers/${desk}/batch`, { actions });
  const use = { type: 'tool_use', id: 't1', name: 'bash', input: { command: 'true' } };
  await call('POST', `/computers/${desk}/computer-use`, { dialect: 'anthropic', items: [use] });
  const [turn, batch] = await history();
  expect(batch?.detail).toEqual({ actions: 'move 50, screenshot 48, bash 1' });
  expect(turn).toMatchObject({ action: 'computerUse', detail: { actions: 'bash 1' } });
});

it('the audit log is paginated and survives a restart', async () => {
  for (const x of [1, 2, 3]) await call('POST', `/computers/${desk}/move`, { x, y: 0 });
  await app.close();
  test = await test.restart();
  await open();
  const first = await history('?limit=2');
  expect(first.map(({ detail }) => detail)).toEqual([
    { x: 3, y: 0 },
    { x: 2, y: 0 },
  ]);
  const second = await history(`?limit=1&before=${first[1]?.id}`);
  expect(second.map(({ detail }) => detail)).toEqual([{ x: 1, y: 0 }]);
});

it("answers 404 for another owner's computer", async () => {
  expect((await call('GET', '/computers/cmp_0123456789abcdefghjk/actions')).status).toBe(404);
});
