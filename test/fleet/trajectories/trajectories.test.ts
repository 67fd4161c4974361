// @module-tag slow
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readTar } from '../../../src/lib/tar/read.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const PATH = '/api/projects/p/computers/a';
const SECRET = 'Zebra 4711 stäple';

let app: TestApp;
let id: string;
/** What the screen shows. */
let picture: string;
beforeEach(async () => {
  picture = 'first';
  app = await openTestApp({ maxRunning: 6 });
  const { connectors } = app.world;
  const { openScreen } = connectors;
  const opening: typeof openScreen = async (...given) =>
    Object.assign(await openScreen(...given), {
      screenshot: async () => ({
        data: Buffer.from(picture),
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
const folder = () => join(app.world.directory, 'trajectories', id);
const lines = () =>
  readFileSync(join(folder(), 'files/trajectory.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const steps = () => lines().filter(({ type }) => type === 'step');
const ended = (reason: string) =>
  eventually(async () => (await send('GET', '/trajectory')).json.end_reason === reason);

it('records actions by every route, as they were sent', async () => {
  await app.send('PUT', '/api/projects/p/secrets/PIN', { body: { value: SECRET } });
  await send('POST', '/click', { x: 5, y: 5 });
  const started = await send('POST', '/trajectory', {});
  expect(started.json).toMatchObject({ status: 'recording', steps: 0, end_reason: null });
  await send('POST', '/click', { x: 10, y: 20, scale: 0.5, double: true });
  const text = 'a {{secret:PIN}}';
  await send('POST', '/type', { text, secrets: ['PIN', 'OTHER'] });
  await send('POST', '/batch', {
    actions: [
      { action: 'mouse_down', x: 1, y: 1 },
      { action: 'type', text, secrets: ['PIN'] },
      { action: 'screenshot' },
      { action: 'bash', command: 'ls' },
    ],
  });
  const key = { type: 'tool_use', id: 't1', toolset_name: 'computer', name: 'key' };
  await send('POST', '/computer-use', { items: [{ ...key, input: { text: 'ctrl+s' } }] });
  await send('POST', '/exec', { code: 'print(1)' });
  await send('PUT', '/clipboard', { text: 'copied' });
  expect((await send('POST', '/move', { x: 5000, y: 1 })).status).toBe(400);
  const url = new URL(`http://127.0.0.1:${app.port}/api/mcp`);
  const headers = { authorization: `Bearer ${app.world.key}` };
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const actions = [{ action: 'key', key: 'Enter' }];
  await client.callTool({ name: 'act', arguments: { computer: 'p/a', actions } });
  await client.close();
  const { json } = await send('POST', '/trajectory/end');
  expect(json).toMatchObject({ status: 'ended', end_reason: 'request', steps: 10, pictures: 1 });
  expect(steps().map(({ action, outcome }) => ({ ...action, outcome }))).toMatchObject([
    { action: 'click', x: 20, y: 40, button: 'left', clicks: 2, outcome: 'ok' },
    { action: 'type', text, secrets: ['PIN'] },
    { action: 'mouse_down', x: 1, y: 1 },
    { action: 'type', text, secrets: ['PIN'] },
    { action: 'bash', command: 'ls' },
    { action: 'key', key: 'ctrl+s' },
    { action: 'exec', code: 'print(1)' },
    { action: 'set_clipboard', text: 'copied' },
    { action: 'move', x: 5000, outcome: 'off_screen' },
    { action: 'key', key: 'Enter' },
  ]);
  expect(steps()[0].action).not.toHaveProperty('scale');
  const typed = app.world.connectors.screens.flatMap(({ inputs }) => inputs);
  expect(typed).toContain(`type a ${SECRET}`);
  const files = readdirSync(folder(), { recursive: true, encoding: 'utf8', withFileTypes: true });
  for (const file of files.filter((one) => one.isFile())) {
    const bytes = readFileSync(join(file.parentPath, file.name));
    expect(bytes.includes(SECRET), file.name).toBe(false);
  }
  await send('POST', '/click', { x: 1, y: 1 });
  expect(steps()).toHaveLength(10);
});

it('has the screen before and after each action, and each picture once', async () => {
  await send('POST', '/trajectory', {});
  picture = 'second';
  await send('POST', '/click', { x: 1, y: 1 });
  picture = 'third';
  await eventually(async () => steps().length === 1);
  await send('POST', '/click', { x: 2, y: 2 });
  picture = 'first';
  await send('POST', '/trajectory/end');
  const [one, two, three] = ['0001', '0002', '0003'].map((name) => `pictures/${name}.png`);
  expect(lines()[0]).toMatchObject({ type: 'trajectory', version: 1, picture: one });
  expect(steps()[0]).toMatchObject({ before: two });
  expect([two, three]).toContain(steps()[0].after);
  expect(steps()[1].before).toBe(three);
  expect(readdirSync(join(folder(), 'files/pictures'))).toHaveLength(3);
  expect(lines().at(-1)).toMatchObject({ type: 'end', reason: 'request' });
});

it('is downloaded as a tar archive with all files', async () => {
  await send('POST', '/trajectory', {});
  await send('POST', '/click', { x: 1, y: 1 });
  await send('POST', '/trajectory/end');
  const response = await fetch(`http://127.0.0.1:${app.port}${PATH}/trajectory`, {
    headers: { authorization: `Bearer ${app.world.key}`, accept: 'application/x-tar' },
  });
  expect(response.headers.get('content-type')).toBe('application/x-tar');
  const files = new Map<string, Buffer[]>();
  let name = '';
  await readTar(response.body as unknown as AsyncIterable<Uint8Array>, {
    begin: async (entry) => {
      name = entry.name;
      files.set(name, []);
    },
    write: async (bytes) => void files.get(name)?.push(Buffer.from(bytes)),
    end: async () => undefined,
  });
  expect([...files.keys()]).toEqual(['trajectory.jsonl', 'pictures/0001.png']);
  const text = Buffer.concat(files.get('trajectory.jsonl') ?? []).toString();
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type),
  ).toEqual(['trajectory', 'step', 'end']);
  expect(Buffer.concat(files.get('pictures/0001.png') ?? []).toString()).toBe('first');
});

it('is recorded once at a time, replaced by the next, and removed with its files', async () => {
  expect((await send('GET', '/trajectory')).headers['x-error-code']).toBe('not_found');
  expect((await send('DELETE', '/trajectory')).json).toEqual({ success: true });
  const first = await send('POST', '/trajectory', {});
  const again = await send('POST', '/trajectory', {});
  expect([again.status, again.headers['x-error-code']]).toEqual([400, 'conflict']);
  expect(again.headers['x-error-remedy']).toContain('vc computer trajectory p/a end');
  await send('POST', '/trajectory/end');
  expect((await send('POST', '/trajectory/end')).json.status).toBe('ended');
  const next = await send('POST', '/trajectory', {});
  expect(next.json).toMatchObject({ status: 'recording', steps: 0 });
  expect(next.json.id).not.toBe(first.json.id);
  await send('DELETE', '/trajectory');
  expect((await send('GET', '/trajectory')).status).toBe(404);
  expect(existsSync(folder())).toBe(false);
});

it('ends with the key that started it, and keys that only look cannot see it', async () => {
  const created = await app.send('POST', '/api/keys', { body: { name: 'agent', rights: 'act' } });
  const { id: keyId, key } = created.json as { id: string; key: string };
  await send('POST', '/trajectory', {}, key);
  const looking = await app.send('POST', '/api/keys', { body: { name: 'eye', rights: 'look' } });
  const seen = await send('GET', '/trajectory', undefined, String(looking.json.key));
  expect(seen.status).toBe(403);
  await app.send('DELETE', `/api/keys/${keyId}`);
  await ended('key');
});

it('ends with the stop of the computer, and is removed with the computer', async () => {
  await send('POST', '/trajectory', {});
  await send('POST', '/click', { x: 1, y: 1 });
  await send('POST', '/stop');
  await ended('computer');
  expect(steps()).toHaveLength(1);
  await send('DELETE', '');
  await eventually(async () => !existsSync(folder()));
});

it('ends after its time', async () => {
  await send('POST', '/trajectory', { max_seconds: 1 });
  await ended('limit');
  expect((await send('GET', '/trajectory')).json.message).toContain('1 s long');
  for (const max_seconds of [0, 1.5, 1e9, 'x']) {
    expect((await send('POST', '/trajectory', { max_seconds })).status).toBe(400);
  }
});

it('ends with a full disk, while the action is carried out', async () => {
  await send('POST', '/trajectory', {});
  symlinkSync('/dev/full', join(folder(), 'files/pictures/0002.png'));
  picture = 'second';
  expect((await send('POST', '/click', { x: 1, y: 1 })).json).toEqual({ success: true });
  await ended('failure');
  expect((await send('GET', '/trajectory')).json.message).toContain('ENOSPC');
  expect((await send('POST', '/click', { x: 1, y: 1 })).json).toEqual({ success: true });
});

it('is kept by a restart of the service, which ends it', async () => {
  await send('POST', '/trajectory', {});
  await send('POST', '/click', { x: 1, y: 1 });
  app = await app.restart();
  const { json } = await send('GET', '/trajectory');
  expect(json).toMatchObject({ status: 'ended', end_reason: 'service', steps: 1 });
  // As a service leaves it that was killed while it wrote.
  const state = join(folder(), 'state.json');
  const stored = { ...JSON.parse(readFileSync(state, 'utf8')), ended_at: null, end_reason: null };
  writeFileSync(state, JSON.stringify({ ...stored, steps: 0 }));
  const path = join(folder(), 'files/trajectory.jsonl');
  truncateSync(path, readFileSync(path, 'utf8').indexOf('{"type":"end"'));
  appendFileSync(path, '{"type":"step","st');
  app = await app.restart();
  const recovered = await send('GET', '/trajectory');
  expect(recovered.json).toMatchObject({ status: 'ended', end_reason: 'service', steps: 1 });
  expect(lines()).toHaveLength(2);
});

it("an action's failure to show the screen leaves a gap", async () => {
  await send('POST', '/trajectory', {});
  const screen = app.world.connectors.screens.at(-1);
  Object.assign(screen ?? {}, { screenshot: () => new Promise(() => undefined) });
  expect((await send('POST', '/click', { x: 1, y: 1 })).json).toEqual({ success: true });
  await send('POST', '/trajectory/end');
  expect(steps()).toMatchObject([{ before: null, after: null, outcome: 'ok' }]);
}, 30_000);

it('four are recorded at a time for an owner, also if more start at once', async () => {
  const names = ['b', 'c', 'd', 'e', 'f'];
  for (const name of names) {
    const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name } });
    expect(json).toMatchObject({ name });
  }
  const start = (name: string) =>
    app.send('POST', `/api/projects/p/computers/${name}/trajectory`, { body: {} });
  const started = await Promise.all(['a', ...names].map(start));
  expect(started.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 400, 400]);
  const recording = names.find((_, at) => started[at + 1]?.status === 200) ?? 'a';
  await app.send('POST', `/api/projects/p/computers/${recording}/trajectory/end`);
  const refused = names.find((_, at) => started[at + 1]?.status === 400) ?? 'a';
  expect((await start(refused)).status).toBe(200);
});

it('survives a jump of the clock', async () => {
  await send('POST', '/trajectory', {});
  await send('POST', '/trajectory/end');
  const jumped = Date.now() + 30 * 24 * 3600_000;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(jumped);
  try {
    app = await app.restart();
  } finally {
    clock.mockRestore();
  }
  expect((await send('GET', '/trajectory')).status).toBe(200);
});
