import { existsSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect } from 'vitest';
import { makeToyDisk } from '../../support/qemu/toy-disk.js';
import { promise } from '../../support/run/promise.js';
import { untilRunning } from '../../support/service/desktop.js';
import { openTestService } from '../../support/service/service.js';
import { mountSmallDisk, type SmallDisk } from '../../support/service/small-disk.js';

const mounted = await mountSmallDisk(64).catch((error: unknown) => {
  return `cannot mount a file system: ${String(error).split('\n')[0]}`;
});
const skipReason = typeof mounted === 'string' ? mounted : undefined;
afterAll(async () => {
  if (typeof mounted !== 'string') await mounted.close();
});

promise.unless(skipReason)(
  28,
  'on a full disk, computers and projects are stopped and deleted',
  async (report) => {
    const disk = mounted as SmallDisk;
    const service = await openTestService(['--max-running', '9'], { qemuSeed: '' });
    const home = service.env.VC_STATE_DIR ?? '';
    try {
      await service.kill('SIGTERM');
      const state = join(disk.path, 'state');
      service.env.VC_STATE_DIR = state;
      await execa('cp', ['-a', home, state]);
      await service.start();
      const http = (method: string, path: string, body?: object) =>
        service.http(method, path, body);
      const file = join(service.directory, 'disk.img');
      await makeToyDisk(file);
      const words = ['image', 'import', 'toy', file, '--os', 'windows', '--no-shell'];
      const imported = await service.cli(words);
      expect(imported.code, imported.stderr).toBe(0);

      await http('POST', '/projects', { name: 'full' });
      const make = async (name: string) => {
        const made = await http('POST', '/projects/full/computers', { name, image: 'toy' });
        expect(made.status, JSON.stringify(made.json)).toBe(200);
        await untilRunning(service, made.json.id);
        return made.json.id as string;
      };
      const [stopped, deleted] = [await make('stopped'), await make('deleted')];
      const directory = (id: string) => join(state, 'qemu/machines', id);

      disk.fill();
      for (let status = 200, i = 0; status === 200; i++) {
        ({ status } = await http('POST', '/projects', { name: `p${i}-${'x'.repeat(40)}` }));
      }
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
      await http('POST', '/projects', { name: 'room' });
      const after = await http('POST', '/projects/room/computers', { name: 'after', image: 'toy' });
      expect(after.status, JSON.stringify(after.json)).toBe(200);
    } finally {
      rmSync(disk.filler, { force: true });
      await service.close();
    }
  },
  240_000,
);
