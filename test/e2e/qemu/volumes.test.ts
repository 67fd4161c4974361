// @module-tag thorough
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { QemuEngine } from '../../../src/engines/qemu/engine.js';
import {
  closeQemuDirectory,
  openQemuDirectory,
  openQemuEngine,
  run,
  shellOf,
  spec,
} from '../../support/qemu/engine.js';

const volumes = [
  { id: 'vol_data', path: '/data', readOnly: false },
  { id: 'vol_fixed', path: '/home/user/fixed', readOnly: true },
];

let directory: string;
let engine: QemuEngine;

const boot = async (id: string, change: object = {}) => {
  await engine.create(spec(id, { volumes, ...change }));
  await engine.start(id);
};

/** The output of a command. As the service does, it opens a connection that was lost again. */
async function inGuest(id: string, command: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(await shellOf(engine, id), command);
    } catch (error) {
      if (attempt === 3 || !/connection to the computer was lost/.test(String(error))) throw error;
    }
  }
}

beforeAll(async () => {
  directory = await openQemuDirectory(join(inject('qemuSeed'), 'qemu', 'images', 'linux'));
  engine = openQemuEngine(directory);
  for (const { id } of volumes) await engine.createVolume({ id });
  await boot('one');
});

afterAll(async () => {
  await engine?.close();
  if (directory !== undefined) await closeQemuDirectory(directory);
});

test('volumes are at their paths with their owners, and one is only read', async () => {
  expect(await inGuest('one', 'stat -c %U:%a /data ~/fixed | xargs')).toBe('user:755 user:755');
  expect(
    await inGuest('one', 'sudo mount -o remount,rw ~/fixed; sudo touch ~/fixed/x 2>&1; :'),
  ).toMatch(/Read-only file system$/);
  await inGuest('one', 'sudo cp /usr/bin/id /data && sudo chmod u+s /data/id');
  expect(await inGuest('one', '/data/id -u')).toBe('1000');
});

test('what is saved of a machine with volumes has no memory, and a copy shares them', async () => {
  await inGuest('one', 'echo one >/data/file');
  const saved = { id: 'snp_one', ownerId: 'owner_one', kind: 'snapshot' } as const;
  await expect(engine.save('one', { ...saved, memory: 'required' })).rejects.toThrow(
    'QEMU cannot save the memory of a computer with volumes.',
  );
  expect(await engine.save('one', { ...saved, memory: true })).toMatchObject({ memory: false });
  await boot('two', { from: { id: 'snp_one', kind: 'snapshot' } });
  expect(await inGuest('two', 'cat /data/file; echo two >>/data/file')).toBe('one');
  expect(await inGuest('one', 'cat /data/file')).toBe('one\ntwo');
  await engine.remove('two');
});

test('a guest that restarts has its volumes again, which go with their files', async () => {
  const id = 'cat /proc/sys/kernel/random/boot_id';
  const before = await inGuest('one', id);
  await inGuest('one', 'sudo reboot').catch(() => undefined);
  const again = () => inGuest('one', `${id} /data/file`).catch(() => '');
  const other = new RegExp(`^(?!${before}).*\none\ntwo$`);
  await expect.poll(again, { timeout: 240_000, interval: 1_000 }).toMatch(other);
  await engine.remove('one');
  for (const volume of volumes) await engine.removeVolume(volume.id);
  expect(readdirSync(join(directory, 'volumes'))).toEqual([]);
});
