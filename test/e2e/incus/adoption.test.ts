// @module-tag thorough
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VirtualComputers } from '../../../src/client/index.js';
import { instanceName } from '../../../src/engines/incus/ids.js';
import type { Instance } from '../../../src/engines/incus/machine/instance.js';
import { withCluster } from '../../../src/engines/incus/open.js';
import { eventually } from '../../support/eventually.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';

let service: TestService;
let files: string;
const env: NodeJS.ProcessEnv = {};
beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'vc-adoption-'));
  service = await openTestService(['--max-running', '9'], { env });
});
afterAll(async () => {
  await service.close();
  rmSync(files, { recursive: true });
});

const stateOf = () => env.VC_STATE_DIR ?? join(service.directory, 'state');
const instance = (id: string): Promise<Instance> =>
  withCluster(stateOf(), (cluster) => cluster.ask(`/1.0/instances/${instanceName(id)}`));

it('after its host is lost, a restored service has all computers, also those made since', async () => {
  const { vc } = service;
  await vc.projects.create('demo');
  const old = await vc.computers.create('demo', { name: 'old' });
  await old.bash('echo old >~/file');
  const backup = join(files, 'vc.backup');
  expect((await service.cli(['backup', backup])).stderr).toContain('1 computer');

  // Made since: a running computer in another project, renamed, a stopped one, another owner's.
  await vc.projects.create('later');
  const settings = { ram: 2, auto_stop_minutes: 600 } as const;
  const made = await vc.computers.create('later', { name: 'first', ...settings });
  await made.bash('echo made >~/file; touch /tmp/in-memory');
  const { id } = made;
  await service.http('PATCH', `/computers/${id}`, { name: 'né 名' });
  await service.http('PATCH', '/projects/later', { name: 'renamed' });
  await eventually(async () => {
    const { config } = await instance(id);
    return config?.['user.vc.name'] === 'né 名' && config['user.vc.project_name'] === 'renamed';
  });
  const stopped = await vc.computers.create('demo', { name: 'stopped' });
  await stopped.bash('echo stopped >~/file; sync');
  await stopped.stop();
  const { json: guest } = await service.http('POST', '/owners', { name: 'guest' });
  const { baseUrl } = service;
  const other = new VirtualComputers({ baseUrl, apiKey: guest.key.key });
  await other.projects.create('mine');
  const foreign = await other.computers.create('mine', { name: 'desk' });
  await other.close();
  const before: Json = (await service.http('GET', `/computers/${id}`)).json;
  // The guest sees none of what its label says.
  expect((await made.bash('ls /dev/lxd /dev/incus; cat /proc/1/environ')).stdout).toBe('');

  await service.kill('SIGKILL');
  rmSync(join(service.directory, 'state'), { recursive: true });
  env.VC_STATE_DIR = join(files, 'elsewhere');
  const restored = await service.cli(['restore', backup], { env });
  expect(restored.code, restored.stderr).toBe(0);
  await service.start();

  const found = async (which: string): Promise<Json> =>
    (await service.http('GET', `/computers/${which}`)).json;
  await eventually(async () => (await found(id)).status === 'running', 30_000);
  const { started_at: _, ...same } = before;
  expect(await found(id)).toMatchObject(same);
  expect(await found(id)).toMatchObject({
    ...{ name: 'né 名', project_name: 'renamed', auto_stop_minutes: 600, ram: 2 },
  });
  expect((await made.bash('cat ~/file; ls /tmp/in-memory')).stdout).toBe('made\n/tmp/in-memory\n');
  expect((await made.screenshot()).length).toBeGreaterThan(1_000);
  expect((await old.bash('cat ~/file')).stdout).toBe('old\n');

  await eventually(async () => (await found(stopped.id)).status === 'stopped', 30_000);
  await stopped.start();
  expect((await stopped.bash('cat ~/file; hostname')).stdout).toBe('stopped\nstopped\n');
  await made.restart();
  expect((await made.bash('cat ~/file')).stdout).toBe('made\n');

  // Its owner is not in the backup.
  expect((await found(foreign.id)).error).toBeDefined();
  expect((await instance(foreign.id)).status).toBe('Running');
  const { stdout } = await service.cli(['doctor', '--json'], { env });
  const { checks } = JSON.parse(stdout);
  const machines = checks.find(({ name }: Json) => name === 'machines');
  expect(machines).toMatchObject({ status: 'missing' });
  expect(machines.detail).toContain(`${foreign.id} on incus: its owner usr_`);
  expect(service.log()).toContain('left alone a machine that no computer owns');
  await withCluster(stateOf(), async (cluster) => {
    const path = `/1.0/instances/${instanceName(foreign.id)}`;
    await cluster.run(`${path}/state`, { method: 'PUT', body: { action: 'stop', force: true } });
    await cluster.run(path, { method: 'DELETE' });
  });
}, 240_000);
