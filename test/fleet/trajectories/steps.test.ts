// @module-tag slow
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TrajectorySteps } from '../../../src/contract/resources.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const PATH = '/api/projects/p/computers/a';
const PICTURE = 'a picture';

let app: TestApp;
let id: string;
beforeEach(async () => {
  app = await openTestApp();
  const { connectors } = app.world;
  const { openScreen } = connectors;
  const opening: typeof openScreen = async (...given) =>
    Object.assign(await openScreen(...given), {
      screenshot: async () => ({
        data: Buffer.from(PICTURE),
        format: 'png',
        width: 1280,
        height: 800,
      }),
    });
  Object.assign(connectors, { openScreen: opening });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  id = String(json.id);
});
afterEach(() => app.close());

const send = (method: string, path: string, body?: object, key = app.world.key) =>
  app.send(method, `${PATH}${path}`, { authorization: `Bearer ${key}`, ...(body && { body }) });
const lines = () => join(app.world.directory, 'trajectories', id, 'files/trajectory.jsonl');
const keyWith = async (rights: string) => {
  const { json } = await app.send('POST', '/api/keys', { body: { name: rights, rights } });
  return String(json.key);
};
const page = async (query = '', key?: string) =>
  (await send('GET', `/trajectory/steps${query}`, undefined, key)).json as TrajectorySteps;
const actionsFor = async (key?: string) => {
  const { steps } = await page('', key);
  return steps.map(({ action }) => action);
};

/** Puts lines between the first and the last of a trajectory that has ended. */
async function withLines(added: readonly object[]): Promise<void> {
  await send('POST', '/trajectory', {});
  await send('POST', '/trajectory/end');
  const texts = added.map((one, at) => JSON.stringify({ type: 'step', step: at + 1, ...one }));
  writeFileSync(lines(), `{"type":"trajectory"}\n${texts.map((text) => `${text}\n`).join('')}`);
}

it('lists nothing where nothing was recorded', async () => {
  const { status, json } = await send('GET', '/trajectory/steps');
  expect({ status, json }).toEqual({
    status: 200,
    json: { trajectory: null, steps: [], next_offset: 0 },
  });
  expect((await send('GET', '/trajectory/pictures/0001.png')).status).toBe(404);
});

it('lists the steps in pages, also while they are recorded', async () => {
  await send('POST', '/trajectory', {});
  for (const x of [1, 2, 3]) await send('POST', '/click', { x, y: x });
  await eventually(async () => (await actionsFor()).length === 3);
  const first = await page('?limit=2');
  expect(first.trajectory).toMatchObject({ status: 'recording', started_by: 'default' });
  expect(first.steps).toMatchObject([
    { step: 1, action: { action: 'click', x: 1, y: 1 }, outcome: 'ok' },
    { step: 2, before: 'pictures/0001.png' },
  ]);
  const second = await page(`?limit=2&offset=${first.next_offset}`);
  expect(second.steps.map(({ step }) => step)).toEqual([3]);
  // A line that is still being written belongs to the next page.
  appendFileSync(lines(), '{"type":"step","step":4,');
  const third = `?offset=${second.next_offset}`;
  expect(await page(third)).toMatchObject({
    steps: [],
    next_offset: second.next_offset,
  });
  appendFileSync(lines(), '"action":{"action":"move"}}\n');
  expect((await page(third)).steps).toMatchObject([{ step: 4 }]);
});

it('continues with the next line from inside of one, and skips a damaged one', async () => {
  await withLines([{ action: { action: 'move' } }, { action: { action: 'click' } }]);
  const [first = ''] = `{"type":"trajectory"}\n`.split('\n');
  const inside = await page(`?offset=${first.length + 5}`);
  expect(inside.steps).toMatchObject([{ step: 2 }]);
  appendFileSync(lines(), 'not json\n{"type":"step","step":3,"action":{}}\n');
  expect((await page()).steps).toHaveLength(3);
  const beyond = await page('?offset=999999');
  expect(beyond).toMatchObject({ steps: [], next_offset: 999_999 });
  expect((await send('GET', '/trajectory/steps?offset=-1')).status).toBe(400);
});

it('ends a page before its memory grows, and cuts long texts', async () => {
  const text = `${'ä'.repeat(500_000)}`;
  await withLines(Array.from({ length: 6 }, () => ({ action: { action: 'type', text } })));
  const first = await page();
  // Six lines of 1 MB: a page reads 2 MiB and the line in which that is reached.
  expect(first.steps.length).toBe(3);
  expect(first.steps[0]?.action.text).toBe(`${'ä'.repeat(2000)}…`);
  const rest = await page(`?offset=${first.next_offset}`);
  expect(rest.steps.map(({ step }) => step)).toEqual([4, 5, 6]);
});

it('names environment variables without their values', async () => {
  await send('POST', '/trajectory', {});
  await send('POST', '/bash', { command: 'true', env: { TOKEN: 'Zebra-4711' } });
  await send('POST', '/trajectory/end');
  const listed = await actionsFor();
  expect(listed).toMatchObject([{ action: 'bash', command: 'true', env: ['TOKEN'] }]);
  expect(JSON.stringify(listed)).not.toContain('Zebra');
});

it('lists waits that run a command, and no others', async () => {
  await send('POST', '/trajectory', {});
  await send('POST', '/wait', { seconds: 0 });
  const until = { any: [{ window: 'Saved' }, { command: 'Zebra' }] };
  await send('POST', '/wait', { until, timeout: 0.1 });
  await send('POST', '/batch', {
    actions: [{ action: 'wait', until: { command: 'true' }, timeout: 0.1 }],
  });
  await send('POST', '/trajectory/end');
  expect(await actionsFor()).toMatchObject([
    { action: 'wait', until: JSON.stringify(until), timeout: 0.1 },
    { action: 'wait', until: '{"command":"true"}' },
  ]);
  expect(JSON.stringify(await actionsFor(await keyWith('look')))).not.toMatch(/zebra/i);
});

it('gives a key that may only look no texts, commands or characters', async () => {
  await send('POST', '/trajectory', {});
  await send('POST', '/type', { text: 'Zebra-4711' });
  await send('POST', '/key', { key: 'z' });
  await send('POST', '/key', { key: 'ctrl+s' });
  await send('POST', '/bash', { command: 'Zebra', env: { ZEBRA: 'x' } });
  await send('POST', '/drag', { start_x: 1, start_y: 2, end_x: 3, end_y: 4, path: [[5, 6]] });
  await send('PUT', '/clipboard', { text: 'Zebra' });
  await send('POST', '/trajectory/end');
  const key = await keyWith('look');
  const listed = await actionsFor(key);
  expect(listed).toEqual([
    { action: 'type', text_length: 10 },
    { action: 'key' },
    { action: 'key', key: 'ctrl+s' },
    expect.objectContaining({ action: 'bash', command_length: 5 }),
    expect.objectContaining({ action: 'drag', end_x: 3, path: [[5, 6]] }),
    { action: 'set_clipboard', text_length: 5 },
  ]);
  expect(JSON.stringify(listed)).not.toMatch(/zebra/i);
  expect((await send('GET', '/trajectory', undefined, key)).status).toBe(403);
  expect(await actionsFor(await keyWith('act'))).toMatchObject([
    { text: 'Zebra-4711' },
    { key: 'z' },
    { key: 'ctrl+s' },
    { command: 'Zebra' },
    { button: 'left' },
    { text: 'Zebra' },
  ]);
});

it('answers a picture, and no other file', async () => {
  await send('POST', '/trajectory', {});
  await send('POST', '/trajectory/end');
  const at = (name: string) =>
    fetch(`http://127.0.0.1:${app.port}${PATH}/trajectory/pictures/${name}`, {
      headers: { authorization: `Bearer ${app.world.key}` },
    });
  const picture = await at('0001.png');
  expect(picture.headers.get('content-type')).toBe('image/png');
  expect(await picture.text()).toBe(PICTURE);
  for (const name of ['0002.png', '..%2Ftrajectory.jsonl', '0001', '%2e%2e']) {
    expect((await at(name)).status, name).toBe(404);
  }
});
