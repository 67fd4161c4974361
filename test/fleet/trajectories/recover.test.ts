// @module-tag slow
import fs, { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const PATH = '/api/projects/p/computers/a';

let app: TestApp;
let folder: string;
beforeEach(async () => {
  app = await openTestApp();
  const { connectors } = app.world;
  const { openScreen } = connectors;
  const data = Buffer.from('picture');
  const opening: typeof openScreen = async (...given) =>
    Object.assign(await openScreen(...given), {
      screenshot: async () => ({ data, format: 'png', width: 1280, height: 800 }),
    });
  Object.assign(connectors, { openScreen: opening });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  folder = join(app.world.directory, 'trajectories', String(json.id));
  await app.send('POST', `${PATH}/trajectory`, { body: {} });
  await app.send('POST', `${PATH}/click`, { body: { x: 1, y: 1 } });
  await app.send('POST', `${PATH}/trajectory/end`);
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await app.close();
});

const state = () => join(folder, 'state.json');
const lines = () => join(folder, 'files/trajectory.jsonl');
const trajectory = async () => (await app.send('GET', `${PATH}/trajectory`)).json;

/** As a service leaves it that was killed while it recorded. */
function leaveRecording(): void {
  const stored = JSON.parse(readFileSync(state(), 'utf8'));
  const open = { ended_at: null, end_reason: null, steps: 0, pictures: 0, bytes: 0 };
  writeFileSync(state(), JSON.stringify({ ...stored, ...open }));
}

/** A call of the file system fails for files of the trajectory. */
function fail(name: 'writeFileSync' | 'readFileSync' | 'truncateSync', code: string): void {
  const original = fs[name] as (...given: unknown[]) => unknown;
  vi.spyOn(fs, name).mockImplementation(((...given: unknown[]) => {
    if (!String(given[0]).startsWith(folder)) return original(...given);
    throw Object.assign(new Error(`${code}: ${name}`), { code });
  }) as never);
  syncBuiltinESMExports();
}

function heal(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

it.each(['writeFileSync', 'truncateSync'] as const)(
  'a recording is listed with what it has if %s finds the disk full, and recovered by the next start',
  async (name) => {
    leaveRecording();
    const before = readFileSync(state(), 'utf8');
    fail(name, 'ENOSPC');
    app = await app.restart();
    const ended = { status: 'ended', end_reason: 'service', steps: 1, pictures: 1 };
    expect(await trajectory()).toMatchObject(ended);
    heal();
    expect(readFileSync(state(), 'utf8')).toBe(before);
    expect(readdirSync(folder).sort()).toEqual(['files', 'state.json']);
    app = await app.restart();
    expect(await trajectory()).toMatchObject(ended);
    expect(JSON.parse(readFileSync(state(), 'utf8'))).toMatchObject({ end_reason: 'service' });
  },
);

it.each(['EIO', 'EACCES', 'EMFILE'])('a recording that cannot be read (%s) stays', async (code) => {
  leaveRecording();
  fail('readFileSync', code);
  app = await app.restart();
  expect(await trajectory()).toHaveProperty('error');
  // A removal would not be awaited.
  await sleep(500);
  heal();
  expect(existsSync(lines())).toBe(true);
  app = await app.restart();
  expect(await trajectory()).toMatchObject({ status: 'ended', end_reason: 'service' });
});

it('a line that is incomplete does not count', async () => {
  leaveRecording();
  const { length } = readFileSync(lines());
  appendFileSync(lines(), '{"type":"step","st');
  app = await app.restart();
  expect(await trajectory()).toMatchObject({ bytes: length + 'picture'.length });
  expect(readFileSync(lines())).toHaveLength(length);
});

it.each(['', '{"id":', '{}'])('a folder with the state %j is removed', async (text) => {
  writeFileSync(state(), text);
  app = await app.restart();
  expect((await app.send('GET', `${PATH}/trajectory`)).status).toBe(404);
  await eventually(async () => !existsSync(folder));
});
