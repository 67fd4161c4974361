import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ComputerHandle } from '../../../src/client/index.js';
import { openTestService, type TestService } from '../../support/service/service.js';

const project = 'volumes';

let service: TestService;
let computer: ComputerHandle;

const run = async (command: string) => {
  const { stdout, stderr } = await computer.bash(command);
  return `${stdout}${stderr}`.trim();
};

beforeAll(async () => {
  service = await openTestService();
  await service.vc.projects.create(project);
  for (const name of ['data', 'fixed']) await service.vc.volumes.create(name);
  computer = await service.vc.computers.create(project, {
    ...{ name: 'desk', cpu: 2, resolution: '800x600' },
    volumes: ['data:/data', 'fixed:/home/user/fixed:ro'],
    setup: 'echo from the setup >/data/file',
  });
});

afterAll(() => service?.close());

test('volumes are at their paths before the setup runs, and one is only read', async () => {
  expect(await run('stat -c %U:%a /data ~/fixed | xargs; cat /data/file')).toBe(
    'user:755 user:755\nfrom the setup',
  );
  expect(await run('sudo mount -o remount,rw ~/fixed; sudo touch ~/fixed/x')).toMatch(
    /Read-only file system/,
  );
  expect(await run('sudo cp /usr/bin/id /data && sudo chmod u+s /data/id && /data/id -u')).toBe(
    '1000',
  );
});

test('a snapshot has no memory, and one that must have it is refused', async () => {
  const { id } = await computer.get();
  const make = (body: object) => service.http('POST', `/computers/${id}/snapshots`, body);
  expect((await make({ name: 'disk' })).json).toMatchObject({ name: 'disk', memory: false });
  const refused = await make({ name: 'memory', memory: true });
  expect(refused.json.error).toBe('QEMU cannot save the memory of a computer with volumes.');
  expect(await run('cat /data/file')).toBe('from the setup');
});

test('a guest that restarts has its volumes again', async () => {
  const boot = '/proc/sys/kernel/random/boot_id';
  const before = await run(`cat ${boot}`);
  await run('sudo reboot');
  const again = async () => {
    const { stdout } = await computer.bash(`cat ${boot} /data/file`);
    return stdout.includes(before) ? '' : stdout;
  };
  await expect
    .poll(() => again().catch(() => ''), { timeout: 240_000, interval: 1_000 })
    .toMatch(/\nfrom the setup\n$/);
});

test('the volumes are there after a stop, and are deleted with their files', async () => {
  await computer.stop();
  await computer.start();
  expect(await run('cat /data/file')).toBe('from the setup');
  await computer.delete();
  for (const name of ['data', 'fixed']) await service.vc.volumes.delete(name);
  expect(readdirSync(join(service.directory, 'state', 'qemu', 'volumes'))).toEqual([]);
});
