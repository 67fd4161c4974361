import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, inject } from 'vitest';
import { eventually } from '../../../../support/eventually.js';
import { promise } from '../../../../support/run/promise.js';
import { openTestService } from '../../../../support/service/service.js';
import { mountSmallDisk } from '../../../../support/service/small-disk.js';

/** A private Engine has its own mount namespace, so the disk must be mounted there as well. */
const inEngine =
  inject('dockerPid') === 0 ? [] : ['nsenter', '--target', `${inject('dockerPid')}`, '--mount'];
const mounted = await mountSmallDisk(32, inEngine).catch((error: unknown) => {
  return `cannot mount a file system: ${String(error).split('\n')[0]}`;
});
const skipReason = typeof mounted === 'string' ? mounted : undefined;
const { path: disk, filler, fill, close } = typeof mounted === 'string' ? noDisk() : mounted;
afterAll(() => close());

function noDisk() {
  return { path: '', filler: '', fill: () => undefined, close: async () => undefined };
}

promise.unless(skipReason)(
  14,
  'a full disk damages no state, and work continues when there is space',
  async (report) => {
    const service = await openTestService(['--max-running', '9']);
    const home = service.env.VC_STATE_DIR;
    try {
      await service.kill('SIGTERM');
      service.env.VC_STATE_DIR = join(disk, 'state');
      await execa('cp', ['-a', String(home), join(disk, 'state')]);
      await service.start();
      const http = (method: string, path: string, body?: object) =>
        service.http(method, path, body);
      await http('POST', '/projects', { name: 'full' });
      const created = await http('POST', '/projects/full/computers', { name: 'before' });
      expect(created.status, JSON.stringify(created.json)).toBe(200);
      const { id } = created.json;

      fill();
      // The database may have free pages in its file: write until they are used.
      let refused = { status: 200, json: { error: '' } };
      for (let i = 0; refused.status === 200; i++) {
        refused = await http('POST', '/projects', { name: `p${i}-${'x'.repeat(40)}` });
      }
      expect(refused.status).toBe(500);
      expect(refused.json.error).toContain('The disk of the service is full; nothing was changed.');
      const creating = await http('POST', '/projects/full/computers', { name: 'during' });
      expect([creating.status, creating.json.error]).toEqual([500, refused.json.error]);
      // Existing computers can be read and used.
      expect((await http('GET', `/computers/${id}`)).json.status).toBe('running');
      const { json } = await http('POST', `/computers/${id}/bash`, { command: 'echo works' });
      expect(json.stdout).toBe('works\n');
      // The next service finds everything after a crash.
      await service.kill('SIGKILL');
      rmSync(filler);
      await service.start();
      const { computers } = (await http('GET', '/projects/full')).json;
      expect(computers).toMatchObject([{ id, name: 'before', status: 'running' }]);

      fill();
      rmSync(filler);
      await eventually(
        async () => (await http('POST', '/projects', { name: 'room' })).status === 200,
      );
      expect((await http('POST', `/computers/${id}/stop`)).json.status).toBe('stopped');
      const after = await http('POST', '/projects/full/computers', { name: 'after' });
      expect(after.json).toMatchObject({ status: 'running' });
      await http('DELETE', '/projects/full');
      report('500 that says so, whole after SIGKILL');
    } finally {
      await service.close();
    }
  },
  240_000,
);

promise.unless(skipReason)(
  28,
  'on a full disk, computers and projects are stopped and deleted',
  async (report) => {
    const service = await openTestService(['--max-running', '9']);
    const home = service.env.VC_STATE_DIR;
    try {
      await service.kill('SIGTERM');
      service.env.VC_STATE_DIR = join(disk, 'again');
      await execa('cp', ['-a', String(home), join(disk, 'again')]);
      await service.start();
      const http = (method: string, path: string, body?: object) =>
        service.http(method, path, body);
      await http('POST', '/projects', { name: 'full' });
      const createComputer = async (name: string) =>
        (await http('POST', '/projects/full/computers', { name })).json.id as string;
      const [stopped, deleted] = await Promise.all([
        createComputer('stopped'),
        createComputer('deleted'),
      ]);
      await createComputer('left');
      fill();
      for (let status = 200, i = 0; status === 200; i++) {
        ({ status } = await http('POST', '/projects', { name: `p${i}-${'x'.repeat(40)}` }));
      }
      const startedAt = performance.now();
      expect((await http('POST', `/computers/${stopped}/stop`)).json).toMatchObject({
        status: 'stopped',
      });
      expect((await http('DELETE', `/computers/${deleted}`)).json).toEqual({ success: true });
      expect((await http('GET', `/computers/${deleted}`)).status).toBe(404);
      expect((await http('DELETE', '/projects/full')).json).toEqual({ success: true });
      expect((await http('GET', '/projects/full')).status).toBe(404);
      report(
        `a stop and three deletions in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
      );
    } finally {
      rmSync(filler, { force: true });
      await service.close();
    }
  },
  240_000,
);
