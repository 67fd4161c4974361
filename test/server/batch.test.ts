import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { buildApp } from '../../src/server/app.js';
import type { FakeScreen } from '../support/fake-connectors.js';
import { openTestFleet, type TestFleet } from '../support/fleet.js';

let world: TestFleet;
let app: FastifyInstance;
let C: string;
let screen: FakeScreen;

beforeAll(async () => {
  world = await openTestFleet();
  const log = pino({ level: 'silent' });
  app = await buildApp({ fleet: world.fleet, reachable: { hosts: [] }, version: '0.0.0', log });
  await call('POST', '/projects', { name: 'p' });
  C = `/computers/${(await call('POST', '/projects/p/computers', { name: 'a' })).json.id}`;
});
beforeEach(async () => {
  await call('GET', `${C}/screenshot`);
  const open = world.connectors.screens.at(-1);
  if (open === undefined) throw new Error('no screen is open');
  screen = open;
  screen.inputs.length = 0;
});
afterAll(async () => {
  await app.close();
  await world.close();
});

async function call(method: 'GET' | 'POST', path: string, body?: object) {
  const response = await app.inject({
    method,
    url: `/api${path}`,
    headers: { authorization: `Bearer ${world.key}`, host: 'localhost' },
    ...(body === undefined ? {} : { payload: body }),
  });
  return {
    status: response.statusCode,
    json: response.json(),
    code: response.headers['x-error-code'],
  };
}
const batch = (...actions: object[]) => call('POST', `${C}/batch`, { actions });

test('runs every kind of action in order, with the same results as single requests', async () => {
  const { status, json } = await batch(
    { action: 'move', x: 1, y: 2 },
    { action: 'click', x: 3, y: 4, double: true },
    { action: 'drag', start_x: 0, start_y: 0, end_x: 9, end_y: 9, duration: 0 },
    { action: 'scroll', direction: 'down', settle: true },
    { action: 'type', text: 'hi' },
    { action: 'key', key: 'ctrl+c' },
    { action: 'wait', seconds: 0 },
    { action: 'bash', command: 'true' },
    { action: 'exec', code: '1' },
    { action: 'screenshot', format: 'jpeg', region: [0, 0, 10, 10] },
  );
  expect(status).toBe(200);
  expect(json.success).toBe(true);
  expect(json.results).toMatchObject([
    { success: true },
    { success: true },
    { success: true },
    { success: true, settled: true },
    { success: true },
    { success: true },
    { success: true, waited: expect.any(Number) },
    { success: true, stdout: 'out', exit_code: 0 },
    { success: true, output: 'out' },
    { success: true, format: 'jpeg', encoding: 'base64' },
  ]);
  expect(screen.inputs).toEqual([
    'move 1,2',
    'left x2 3,4',
    'drag 0,0 9,9',
    'scroll down 3',
    'settle',
    'type hi',
    'key ctrl+c',
  ]);
});

test('stops at the first failure, which is the last result', async () => {
  const { status, json } = await batch(
    { action: 'move', x: 1, y: 2 },
    { action: 'move', x: 5000, y: 2 },
    { action: 'type', text: 'never' },
  );
  expect(status).toBe(200);
  expect(json).toEqual({
    success: false,
    results: [
      { success: true },
      {
        success: false,
        error: 'the screen is 1280x800',
        code: 'off_screen',
        remedy: 'See the screen: vc screenshot p/a',
      },
    ],
  });
  expect(screen.inputs).toEqual(['move 1,2']);
});

describe('is refused as a whole before its first action runs', () => {
  const fine = { action: 'move', x: 1, y: 1 };
  it.each([
    [
      'a wrong type',
      [fine, { action: 'click', x: 'left', y: 1 }],
      /actions\.1\.x must be a number/,
    ],
    ['a missing field', [fine, fine, { action: 'type' }], /actions\.2\.text/],
    [
      'an unknown action',
      [fine, { action: 'fly' }],
      /actions\.1(\.action)? must have an "action", one of: click/,
    ],
    ['no action', [fine, {}], /actions\.1/],
    [
      'an unknown key',
      [fine, { action: 'key', key: 'retrun' }],
      /actions\.1\.key: .*Return|return/,
    ],
    [
      'a key that is held',
      [fine, { ...fine, action: 'click', keys: ['nokey'] }],
      /actions\.1\.keys/,
    ],
    [
      'a character that no key types',
      [fine, { action: 'type', text: '\u0001' }],
      /actions\.1\.text/,
    ],
    ['half a point', [fine, { action: 'scroll', direction: 'up', x: 1 }], /actions\.1/],
    ['a wait for nothing', [fine, { action: 'wait' }], /actions\.1\.seconds/],
    ['none at all', [], /actions must have at least one/],
    ['too many', Array(101).fill(fine), /at most 100/],
    ['no list', 'click', /actions must be a list/],
  ])('%s', async (_, actions, message) => {
    const { status, json } = await call('POST', `${C}/batch`, { actions });
    expect(status).toBe(400);
    expect(json.error).toMatch(message);
    expect(screen.inputs).toEqual([]);
  });
});

test("no other client's input interrupts it", async () => {
  const running = batch(
    { action: 'move', x: 1, y: 1 },
    { action: 'wait', seconds: 0.1 },
    { action: 'move', x: 3, y: 3 },
  );
  await new Promise((resolve) => setTimeout(resolve, 30));
  const other = call('POST', `${C}/move`, { x: 2, y: 2 });
  await Promise.all([running, other]);
  expect(screen.inputs).toEqual(['move 1,1', 'move 3,3', 'move 2,2']);
});

describe('scale', () => {
  it('divides the coordinates of every action', async () => {
    await call('POST', `${C}/click`, { x: 319, y: 10, scale: 0.25 });
    await call('POST', `${C}/move`, { x: 639, y: 399, scale: 0.5 });
    await call('POST', `${C}/drag`, {
      start_x: 0,
      start_y: 0,
      end_x: 10,
      end_y: 20,
      path: [[5, 5]],
      scale: 0.5,
    });
    expect(screen.inputs).toEqual(['left x1 1276,40', 'move 1278,798', 'drag 0,0 10,10 20,40']);
  });

  it('names the scaled size of the screen in the error for a point outside', async () => {
    const { status, json, code } = await call('POST', `${C}/click`, { x: 640, y: 0, scale: 0.5 });
    expect({ status, code }).toEqual({ status: 400, code: 'off_screen' });
    expect(json.error).toMatch(/640,0 .* at scale 0\.5 is 640x400: x from 0 to 639/);
    expect(screen.inputs).toEqual([]);
  });
});

describe('settle', () => {
  it('waits after an action and reports whether the screen settled', async () => {
    const { json } = await call('POST', `${C}/key`, { key: 'Enter', settle: { quiet_ms: 50 } });
    expect(json).toEqual({ success: true, settled: true });
    expect(screen.inputs).toEqual(['key Enter', 'settle']);
  });

  it('waits before a screenshot', async () => {
    for (const settle of ['1', 'true', '50,1000']) {
      expect((await call('GET', `${C}/screenshot?settle=${settle}`)).status).toBe(200);
    }
    await call('GET', `${C}/screenshot?settle=0`);
    expect(screen.inputs).toEqual(['settle', 'settle', 'settle']);
  });

  it.each([
    ['POST', '/key', { key: 'a', settle: { quiet_ms: -1 } }],
    ['POST', '/key', { key: 'a', settle: 5 }],
    ['GET', '/screenshot?settle=soon', undefined],
    ['GET', '/screenshot?settle=50,99999', undefined],
  ] as const)('is checked: %s %s %j', async (method, path, body) => {
    const { status, json } = await call(method, `${C}${path}`, body);
    expect(status).toBe(400);
    expect(json.error).toContain('settle');
  });
});
