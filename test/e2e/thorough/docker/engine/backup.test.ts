import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { eventually } from '../../../../support/eventually.js';

import { outOfBand } from '../../../../support/service/out-of-band.js';
import {
  type Json,
  openTestService,
  type TestService,
} from '../../../../support/service/service.js';

let service: TestService;
let files: string;
beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'vc-backups-'));
  service = await openTestService(['--max-running', '9']);
  await service.vc.projects.create('kept');
});
afterAll(async () => {
  await service.close();
  rmSync(files, { recursive: true });
});

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const bash = async (id: string, command: string): Promise<Json> =>
  (await http('POST', `/computers/${id}/bash`, { command })).json.stdout;
const create = async (name: string): Promise<Json> => {
  const { status, json } = await http('POST', '/projects/kept/computers', { name });
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
};

it('a backup taken during creations is consistent, and restores everything in it', async () => {
  const running = await create('running');
  await bash(running.id, 'echo lives > /tmp/memory');
  const stopped = await create('stopped');
  await bash(stopped.id, 'echo kept > ~/file; sync');
  await http('POST', `/computers/${stopped.id}/stop`);
  const target = { name: 'studio', url: 'rtmp://studio.example.com/live', stream_key: 'secret' };
  expect((await http('POST', '/connections', target)).status).toBe(200);

  // Rows are written while backups are taken; each backup is a consistent snapshot.
  let writing = true;
  const writer = (async () => {
    for (let i = 0; writing; i++) await http('POST', '/projects', { name: `p${i}` });
    return create('later');
  })();
  const backups: Json[] = [];
  for (const name of ['one', 'two', 'three']) {
    const { code, stdout, stderr } = await service.cli(['backup', join(files, name), '--json']);
    expect(code, stderr).toBe(0);
    backups.push(JSON.parse(stdout));
    await eventually(async () => {
      const { json } = await http('GET', '/projects');
      return json.projects.length > backups.at(-1).projects;
    });
  }
  writing = false;
  const later = await writer;
  const [one, , three] = backups;
  expect(three.projects).toBeGreaterThan(one.projects);
  expect(three).toMatchObject({ computers: 2, images: [{ engine: 'docker', name: 'linux' }] });
  expect(statSync(join(files, 'three')).mode & 0o777).toBe(0o600);
  expect(statSync(join(service.directory, 'state', 'admin.sock')).mode & 0o777).toBe(0o600);
  expect((await service.cli(['backup', join(files, 'three')])).stderr).toContain('--force');
  expect(readdirSync(files).sort()).toEqual(['one', 'three', 'two']);

  // Simulates a lost state directory; the machines keep running.
  const state = join(service.directory, 'state');
  const refused = await service.cli(['restore', join(files, 'three'), '--replace']);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('A service runs in');
  expect(refused.stderr).toContain('vc service stop');
  await service.kill('SIGKILL');
  expect((await service.cli(['restore', join(files, 'three')])).stderr).toContain('--replace');
  rmSync(join(state, 'vc.db'));
  for (const name of ['vc.db-wal', 'secret.key']) rmSync(join(state, name), { force: true });
  const restored = await service.cli(['restore', join(files, 'three')]);
  expect(restored.code, restored.stderr).toBe(0);
  await service.start();

  // Keys and ids are unchanged, and the machines kept running.
  const computers = async (): Promise<Json[]> =>
    (await http('GET', '/projects/kept')).json.computers;
  const statuses = Object.fromEntries((await computers()).map(({ id, status }) => [id, status]));
  expect(statuses).toEqual({ [running.id]: 'running', [stopped.id]: 'stopped' });
  expect(await bash(running.id, 'cat /tmp/memory')).toBe('lives\n');
  expect((await http('GET', `/computers/${running.id}/screenshot`)).json.success).toBe(true);
  expect((await http('POST', `/computers/${stopped.id}/start`)).json.status).toBe('running');
  expect(await bash(stopped.id, 'cat ~/file')).toBe('kept\n');
  expect((await http('GET', '/connections')).json.connections).toMatchObject([{ name: 'studio' }]);
  // The service keeps machines newer than the backup; the test removes them.
  expect((await outOfBand(service).leftovers()).machines).toHaveLength(3);
  await outOfBand(service).remove(later.id);
  const docker = new Docker({ socketPath: inject('dockerHost').replace('unix://', '') });
  await docker.getNetwork(`vc-${later.id}`).remove();
}, 300_000);

it('a backup can be restored to another directory, whose service reaches the same machines', async () => {
  const { json } = await http('GET', '/projects/kept');
  const running: Json = json.computers.find(({ name }: Json) => name === 'running');
  await service.kill('SIGTERM');
  const backup = join(files, 'stopped');
  expect((await service.cli(['backup', backup])).stderr).toContain('2 computers');
  const elsewhere = join(files, 'elsewhere');
  mkdirSync(elsewhere);
  const home = service.env.VC_STATE_DIR;
  expect((await service.cli(['restore', backup, '--state', elsewhere])).code).toBe(0);
  service.env.VC_STATE_DIR = elsewhere;
  try {
    await service.start();
    expect(await bash(running.id, 'cat /tmp/memory')).toBe('lives\n');
    expect((await http('GET', `/computers/${running.id}/screenshot`)).json.success).toBe(true);
  } finally {
    await service.kill('SIGTERM');
    service.env.VC_STATE_DIR = home;
    await service.start();
  }
});

it('fails with a reason and leaves nothing', async () => {
  const none = await service.cli(['backup', join(files, 'x'), '--state', join(files, 'nowhere')]);
  expect(none.code).toBe(5);
  expect(none.stderr).toContain('no service state in');
  const other = await service.cli(['restore', '/etc/hostname', '--state', join(files, 'new')]);
  expect(other.code).toBe(1);
  expect(other.stderr).toContain('not a whole backup');
  expect(readdirSync(join(files, 'new'))).toEqual([]);
});
