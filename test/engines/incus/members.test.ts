import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { MachineSpec } from '../../../src/engines/engine.js';
import { Cluster } from '../../../src/engines/incus/client/cluster.js';
import { createIncusEngine } from '../../../src/engines/incus/engine.js';

const GIB = 2 ** 30;
const member = (name: string, status: string, groups: string[]) => ({
  ...{ server_name: name, status, groups, url: `https://10.80.0.${name[1]}:8443` },
  ...{ roles: ['database'], failure_domain: 'default', description: '', config: {} },
  ...{ database: true, architecture: 'x86_64' },
  message: status === 'Online' ? 'Fully operational' : 'No heartbeat for 21.2s',
});
const resources = {
  cpu: { architecture: 'x86_64', total: 2 },
  memory: { used: 5 * GIB, total: 24 * GIB, hugepages_total: 0 },
};
/** Recorded from LXD 5.0.2. */
const recorded: Readonly<Record<string, unknown>> = {
  'GET /1.0/cluster/members?recursion=1': [
    member('m3', 'Offline', ['default']),
    member('m1', 'Online', ['fast', 'default']),
    member('m2', 'Evacuated', ['default']),
  ],
  'GET /1.0': { auth: 'trusted', api_extensions: [], environment: { server: 'lxd' } },
  'GET /1.0/projects/vc': {
    config: {
      ...{ 'user.vc.pool': 'vc', 'user.vc.network': 'vcbr0' },
      'user.vc.gateway': '10.150.0.1/16',
    },
  },
  'GET /1.0/resources?target=m1': resources,
  'GET /1.0/storage-pools/vc/resources?target=m1': { space: { used: GIB, total: 8 * GIB } },
};

/** The engine of a cluster that answers as recorded; `asked` has the other requests. */
async function open() {
  const directory = mkdtempSync(join(tmpdir(), 'vc-incus-'));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = (request.url ?? '').replace(/[?&]project=vc$/, '');
    const what = `${request.method} ${url}`;
    const metadata = recorded[what];
    if (metadata === undefined) asked.push(what);
    const answer =
      metadata === undefined
        ? { type: 'error', error_code: 404, error: 'Instance not found' }
        : { type: 'sync', status_code: 200, metadata };
    response.end(JSON.stringify(answer));
  });
  const socketPath = join(directory, 'unix.socket');
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const cluster = new Cluster({ socketPath, project: 'vc' });
  const options = { serviceId: 'one', allowSudo: false, internet: false };
  onTestFinished(async () => {
    await cluster.close();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { engine: createIncusEngine({ cluster, ...options }), asked };
}

it('lists members by name; one that is offline is not asked for its resources', async () => {
  const { engine, asked } = await open();
  const offline = 'No heartbeat for 21.2s';
  expect(await engine.members()).toEqual([
    {
      ...{ name: 'm1', status: 'online', detail: 'Fully operational', architecture: 'x86_64' },
      ...{ address: '10.80.0.1:8443', groups: ['default', 'fast'] },
      resources: {
        ...{ cpu: 2, memoryUsedBytes: 5 * GIB, memoryTotalBytes: 24 * GIB },
        ...{ diskUsedBytes: GIB, diskTotalBytes: 8 * GIB },
      },
    },
    // Its resources were not recorded: it does not answer.
    {
      ...{ name: 'm2', status: 'evacuated', detail: offline, architecture: 'x86_64' },
      ...{ address: '10.80.0.2:8443', groups: ['default'] },
    },
    {
      ...{ name: 'm3', status: 'offline', detail: offline, architecture: 'x86_64' },
      ...{ address: '10.80.0.3:8443', groups: ['default'] },
    },
  ]);
  expect(asked.filter((path) => path.includes('target=m3'))).toEqual([]);
});

it.each([
  [{ member: 'm1' }, 'POST /1.0/instances?target=m1'],
  [{ group: 'fast' }, 'POST /1.0/instances?target=%40fast'],
  [undefined, 'POST /1.0/instances'],
])('a machine with the placement %j is asked for at %s', async (placement, path) => {
  const { engine, asked } = await open();
  const spec: MachineSpec = {
    ...{ id: 'mch_a', ownerId: 'own_one', projectId: 'prj_one', os: 'linux', image: 'linux' },
    ...{ cpu: 1, ram: 1, gpu: 'none', resolution: { width: 640, height: 480 } },
    ...{ authorizedKey: 'key', hostName: 'desk', placement },
  };
  await expect(engine.create(spec)).rejects.toMatchObject({ code: 'not_found' });
  expect(asked).toContain(path);
});
