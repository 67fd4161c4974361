// @module-tag slow
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect } from 'vitest';
import { makeToyDisk } from '../../support/qemu/toy-disk.js';
import { promise } from '../../support/run/promise.js';
import { untilRunning } from '../../support/service/desktop.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';
import { mountSmallDisk, type SmallDisk } from '../../support/service/small-disk.js';

const mounted = await mountSmallDisk(64).catch((error: unknown) => {
  return `cannot mount a file system: ${String(error).split('\n')[0]}`;
});
const skipReason = typeof mounted === 'string' ? mounted : undefined;
/** A service whose state is on the small disk, with two computers that show a boot menu. */
let service: TestService;
let disk: SmallDisk;
let stopped = '';
let deleted = '';
beforeAll(async () => {
  if (typeof mounted === 'string') return;
  disk = mounted;
  service = await openTestService(['--max-running', '9'], { qemuSeed: '' });
  const home = service.env.VC_STATE_DIR ?? '';
  await service.kill('SIGTERM');
  service.env.VC_STATE_DIR = state();
  await execa('cp', ['-a', home, state()]);
  await service.start();
  const file = join(service.directory, 'disk.img');
  await makeToyDisk(file);
  const words = ['image', 'import', 'toy', file, '--os', 'windows', '--no-shell'];
  const imported = await service.cli(words);
  expect(imported.code, imported.stderr).toBe(0);
  await http('POST', '/projects', { name: 'full' });
  [stopped, deleted] = [await make('stopped'), await make('deleted')];
});
afterAll(async () => {
  if (typeof mounted === 'string') return;
  rmSync(disk.filler, { force: true });
  await service.close();
  await disk.close();
});

const state = () => join(disk.path, 'state');
const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const make = async (name: string): Promise<string> => {
  const made = await http('POST', '/projects/full/computers', { name, image: 'toy' });
  expect(made.status, JSON.stringify(made.json)).toBe(200);
  await untilRunning(service, made.json.id);
  return made.json.id;
};
/** Fills the disk, and then the free pages of the database, which are in its file. */
const fillCompletely = async (): Promise<Json> => {
  disk.fill();
  for (let i = 0; ; i++) {
    const name = `p${i}-${'x'.repeat(40)}`;
    const refused = await http('POST', '/projects', { name });
    if (refused.status !== 200) return refused;
  }
};

promise.unless(skipReason)(14, 'a full disk damages no state', async (report) => {
  const message = 'The disk of the service is full; nothing was changed.';
  expect(await fillCompletely()).toMatchObject({
    status: 500,
    json: { error: expect.stringContaining(message) },
  });
  const body = { name: 'during', image: 'toy' };
  expect((await http('POST', '/projects/full/computers', body)).json.error).toContain(message);
  // Existing computers can be used.
  expect((await http('GET', `/computers/${stopped}/screenshot`)).status).toBe(200);
  await service.kill('SIGKILL');
  rmSync(disk.filler);
  await service.start();
  const { computers } = (await http('GET', '/projects/full')).json;
  const statuses = computers.map(({ name, status }: Json) => `${name} ${status}`).sort();
  expect(statuses).toEqual(['deleted running', 'stopped running']);
  expect((await http('POST', '/projects', { name: 'room' })).status).toBe(200);
  report('500 that says so, whole after SIGKILL');
});

promise.unless(skipReason)(
  28,
  'on a full disk, computers and projects are stopped and deleted',
  async (report) => {
    const directory = (id: string) => join(state(), 'qemu/machines', id);
    await fillCompletely();
    const free = () => statfsSync(disk.path).bavail;
    expect(free()).toBe(0);
    const began = performance.now();
    expect((await http('POST', `/computers/${stopped}/stop`)).json).toMatchObject({
      status: 'stopped',
    });
    expect((await http('DELETE', `/computers/${deleted}`)).json).toEqual({ success: true });
    expect((await http('GET', `/computers/${deleted}`)).status).toBe(404);
    expect(existsSync(directory(deleted))).toBe(false);
    const freed = free();
    expect(freed).toBeGreaterThan(0);
    expect((await http('DELETE', '/projects/full')).json).toEqual({ success: true });
    expect((await http('GET', '/projects/full')).status).toBe(404);
    expect(existsSync(directory(stopped))).toBe(false);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    report(`a stop and two deletions in ${seconds} s`);

    rmSync(disk.filler);
    await http('POST', '/projects', { name: 'full' });
    await make('after');
  },
);
