import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { makeToyDisk } from '../../../support/qemu/toy-disk.js';
import { promise } from '../../../support/run/promise.js';
import { followTarget } from '../../../support/screen/stream-target.js';
import { outOfBand } from '../../../support/service/out-of-band.js';
import { openTestService, type TestService } from '../../../support/service/service.js';

const PROGRAM = '/usr/bin/qemu-system-x86_64';

const notRoot = process.getuid?.() === 0 ? undefined : 'only root may hide a program';

/** Its computers show a boot menu: they start in a second, even if they are emulated. */
let service: TestService;
/** Each attempt has names of its own. */
let attempts = 0;
beforeAll(async () => {
  service = await openTestService(['--allow-private-targets', '--max-running', '4'], {
    ...{ qemuSeed: '', ownMounts: notRoot === undefined },
  });
  const disk = join(service.directory, 'disk.img');
  await makeToyDisk(disk);
  const words = ['image', 'import', 'toy', disk, '--os', 'windows', '--no-shell'];
  const imported = await service.cli(words);
  expect(imported.code, imported.stderr).toBe(0);
  await service.vc.projects.create('demo');
});
afterAll(() => service.close());

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const create = (name: string) =>
  http('POST', '/projects/demo/computers', { name: `${name}-${attempts}`, image: 'toy' });
async function running(name: string): Promise<string> {
  const { status, json } = await create(name);
  expect(status, JSON.stringify(json)).toBe(200);
  return json.id;
}
/** Runs a command among the service's mounts. */
const inMounts = (...command: string[]) =>
  execa('nsenter', [`--mount=/proc/${service.pid}/ns/mnt`, ...command]);
const status = async (id: string) => (await http('GET', `/computers/${id}`)).json.status;

promise.unless(notRoot)(
  12,
  'without QEMU: 503, nothing is deleted or recreated, and work continues when it is back',
  async (report) => {
    attempts += 1;
    const stays = await running('stays');
    const dies = await running('dies');
    const stopped = await running('stopped');
    expect((await http('POST', `/computers/${stopped}/stop`)).status).toBe(200);
    expect(await status(stopped)).toBe('stopped');
    const before = await outOfBand(service).pids(stays);
    await inMounts('mount', '--bind', '/dev/null', PROGRAM);
    try {
      const refused = await create('refused');
      expect(refused.status, JSON.stringify(refused.json)).toBe(503);
      const start = await http('POST', `/computers/${stopped}/start`);
      expect(start.status, JSON.stringify(start.json)).toBe(503);
      expect(start.remedy).toContain('vc setup');
      expect((await http('GET', '/health')).json.engines[0].usable).toBe(false);

      await outOfBand(service).kill(dies);
      const killedAt = Date.now();
      await eventually(async () => (await status(dies)) !== 'running', 10_000);
      const seconds = ((Date.now() - killedAt) / 1000).toFixed(1);
      expect(await status(stays)).toBe('running');
      expect((await http('GET', `/computers/${stays}/screenshot`)).status).toBe(200);
      expect(await outOfBand(service).pids(stays)).toEqual(before);
      report(`a killed QEMU is shown after ${seconds} s`);
    } finally {
      await inMounts('umount', PROGRAM);
    }
    for (const id of [stopped, dies]) {
      const { json } = await http('POST', `/computers/${id}/start`);
      expect(json.status, JSON.stringify(json)).toBe('running');
    }
    const { computers } = (await http('GET', '/projects/demo')).json;
    expect(computers.map(({ id }: { id: string }) => id).sort()).toEqual(
      [stays, dies, stopped].sort(),
    );
    for (const id of [stays, dies, stopped])
      expect((await http('DELETE', `/computers/${id}`)).status).toBe(200);
  },
  120_000,
);

promise(23, 'a stream continues when its server is back', async (report) => {
  attempts += 1;
  const id = await running('streams');
  report(await followTarget((method, path, body) => http(method, `/computers/${id}${path}`, body)));
  expect((await http('DELETE', `/computers/${id}`)).status).toBe(200);
});
