// @module-tag slow
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { isSnapshotting, type MachineSpec, type SaveRequest } from '../../../src/engines/engine.js';
import type { QemuEngine } from '../../../src/engines/qemu/engine.js';
import { defaultCacheDirectory } from '../../../src/images/cache.js';
import { openQemuEngine, run, shellOf, spec } from '../../support/qemu/engine.js';
import { plantQemuSeed } from '../../support/qemu/seed.js';
import { thorough } from '../../support/run/tiers.js';

/** The shape of the seed's template. */
const shape = { cpu: 2, ram: 2, resolution: { width: 1280, height: 800 } };
const machine = (id: string, change: Partial<MachineSpec> = {}) =>
  spec(id, { ...shape, ...change });
const request = (id: string, change: Partial<SaveRequest> = {}): SaveRequest => ({
  ...{ id, kind: 'snapshot', ownerId: 'owner_one', memory: true },
  ...change,
});

let state: string;
let directory: string;
let engine: QemuEngine;
beforeAll(async () => {
  // On the file system of the seed, for hard links.
  state = await mkdtemp(join(defaultCacheDirectory(), 'test-qemu', 'run-'));
  await plantQemuSeed(inject('qemuSeed'), state);
  directory = join(state, 'qemu');
  engine = openQemuEngine(directory);
  await engine.create(machine('one'));
  await engine.start('one');
});
afterAll(async () => {
  for (const { id } of await engine.list()) await engine.remove(id);
  await engine.close();
  await rm(state, { recursive: true, force: true });
});

const bash = async (id: string, command: string): Promise<string> => {
  const shell = await shellOf(engine, id);
  try {
    return await run(shell, command);
  } finally {
    shell.close();
  }
};
const statusOf = async (id: string) =>
  (await engine.list()).find((state) => state.id === id)?.status;
const saved = () => readdir(join(directory, 'saved'));

it('a running machine is saved with its memory, and reset to it', async () => {
  expect(isSnapshotting(engine)).toBe(true);
  await bash('one', 'echo disk >~/kept; echo memory >/dev/shm/kept; sleep 4321 >/dev/null 2>&1 &');
  const key = await bash('one', 'cd /var/lib/vc; cat machine-id; sha256sum ssh_host_ed25519_key');
  const disk = await engine.save('one', request('snp_1'));
  expect(disk).toMatchObject({ id: 'snp_1', kind: 'snapshot', machine: 'one', memory: true });
  expect(disk.bytes).toBeLessThan(200e6);
  expect(await engine.savedDisks()).toEqual([disk]);
  expect(await bash('one', 'pgrep -fxc "sleep 4321"')).toBe('1');

  await bash('one', 'echo changed >~/kept; rm /dev/shm/kept; pkill -fx "sleep 4321"; sync');
  await engine.reset(machine('one', { from: { id: 'snp_1', kind: 'snapshot' } }));
  expect(await statusOf('one')).toBe('stopped');
  await engine.start('one');
  expect(await bash('one', 'cat ~/kept /dev/shm/kept; pgrep -fxc "sleep 4321"; hostname')).toBe(
    'disk\nmemory\n1\nvc-one',
  );
  expect(await bash('one', 'cd /var/lib/vc; cat machine-id; sha256sum ssh_host_ed25519_key')).toBe(
    key,
  );
});

it('two machines start from one saved disk, each with an identity of its own', async () => {
  const from = { id: 'snp_1', kind: 'snapshot' } as const;
  for (const id of ['two', 'three']) {
    await engine.create(machine(id, { from }));
    await engine.start(id);
  }
  await engine.removeSaved('snp_1');
  expect(await saved()).toEqual([]);
  const facts: string[] = [];
  for (const id of ['two', 'three']) {
    expect(await bash(id, 'cat ~/kept /dev/shm/kept; hostname')).toBe(`disk\nmemory\nvc-${id}`);
    facts.push(await bash(id, 'cat /var/lib/vc/machine-id /sys/class/net/e*/address'));
  }
  expect(new Set(facts).size).toBe(2);
  await bash('two', 'echo two >~/kept');
  expect(await bash('three', 'cat ~/kept')).toBe('disk');
  expect(await bash('one', 'cat ~/kept')).toBe('disk');
  for (const id of ['two', 'three']) await engine.remove(id);
  expect(await readdir(join(directory, 'machines'))).toEqual(['one']);
});

thorough(
  'an image of a running machine has its disk, and starts from a template of its own',
  async () => {
    await bash('one', 'echo image >~/kept');
    const disk = await engine.save('one', request('img_1', { kind: 'image', memory: false }));
    expect(disk).toMatchObject({ kind: 'image', memory: false });
    const from = { id: 'img_1', kind: 'image' } as const;
    await engine.warm({ image: 'mine', ...shape, from });
    await engine.create(machine('four', { image: 'mine', from }));
    const begun = performance.now();
    await engine.start('four');
    // Booting takes longer than this on every host where guests are emulated.
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(await bash('four', 'cat ~/kept; hostname')).toBe('image\nvc-four');
    await engine.remove('four');
    await engine.removeSaved('img_1');
    expect(await saved()).toEqual([]);
    expect(await engine.templates()).toHaveLength(1);
    expect(
      (await readdir(join(directory, 'templates'))).filter((name) => /^[^.]*$/.test(name)),
    ).toHaveLength(1);
  },
);

it('a machine is reset to what it was made from', async () => {
  await engine.reset(machine('one'));
  await engine.start('one');
  expect(await bash('one', 'ls ~; hostname')).not.toContain('kept');
  const files = await readdir(join(directory, 'machines', 'one'));
  // The layer of the template and its own.
  expect(files.filter((name) => name.startsWith('disk-'))).toHaveLength(2);
});

thorough('twenty snapshots of a running machine are possible', async () => {
  await bash('one', 'echo twenty >~/kept');
  for (let number = 1; number <= 20; number++) {
    await engine.save('one', request(`many_${number}`, { memory: false }));
  }
  const disks = await engine.savedDisks();
  expect(disks).toHaveLength(20);
  for (const { bytes } of disks.slice(1)) expect(bytes).toBeLessThan(50e6);
  expect(await bash('one', 'cat ~/kept')).toBe('twenty');
  for (const { id } of disks) await engine.removeSaved(id);
  expect(await saved()).toEqual([]);
});

it('a save that is aborted leaves the machine running, and nothing else', async () => {
  for (const delay of [10, 300, 1_500]) {
    const giveUp = new AbortController();
    const saving = engine.save('one', request('half'), giveUp.signal).then(
      () => 'saved',
      () => 'aborted',
    );
    await sleep(delay);
    giveUp.abort();
    if ((await saving) === 'saved') await engine.removeSaved('half');
    expect(await saved()).toEqual([]);
    expect(await bash('one', 'echo runs')).toBe('runs');
  }
});
