// @module-tag thorough
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Instance } from '../../../src/engines/incus/machine/instance.js';
import { withCluster } from '../../../src/engines/incus/open.js';
import { eventually } from '../../support/eventually.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';

let service: TestService;
beforeAll(async () => {
  service = await openTestService(['--max-running', '2']);
  await service.vc.projects.create('copies');
});
afterAll(() => service.close());

const instances = async (): Promise<Instance[]> => {
  const all = await withCluster(inject('clusterState'), (cluster) =>
    cluster.ask<Instance[]>('/1.0/instances?recursion=1'),
  );
  // Other files have theirs.
  return all.filter(({ config }) => config?.['user.vc.project_name'] === 'copies');
};
const run = async (id: string, command: string): Promise<string> => {
  const { status, json } = await service.http('POST', `/computers/${id}/bash`, { command });
  expect(status, JSON.stringify(json)).toBe(200);
  return json.stdout;
};
const fork = (id: string, name: string, query = ''): Promise<{ status: number; json: Json }> =>
  service.http('POST', `/computers/${id}/fork${query}`, { name });

/** What two computers must not share, one line each. */
const IDENTITY = [
  ...['hostname', 'cat /var/lib/vc/machine-id', 'cat /var/lib/vc/ssh_host_ed25519_key.pub'],
  ...['cat /var/lib/vc/authorized_keys', "awk '{print $2}' /proc/self/uid_map"],
  ...["ip -4 -o address show eth0 | awk '{print $4}'", 'cat /sys/class/net/eth0/address'],
].join('; ');

it('a copy has the disk and an identity of its own, and counts against the limits', async () => {
  const { id } = await service.vc.computers.create('copies', { name: 'one' });
  await run(id, 'echo kept >~/file; (sleep 4321 >/dev/null 2>&1 &)');
  const { status, json: copy } = await fork(id, 'two');
  expect(status, JSON.stringify(copy)).toBe(200);
  expect(copy).toMatchObject({ name: 'two', status: 'running', engine: 'incus' });
  expect(await run(copy.id, 'cat ~/file; pgrep -fx "sleep 4321"')).toBe('kept\n');
  expect(await run(id, 'pgrep -fxc "sleep 4321"')).toBe('1\n');
  const [theirs, ours] = [await run(id, IDENTITY), await run(copy.id, IDENTITY)].map((text) =>
    text.trim().split('\n'),
  );
  expect(ours).toHaveLength(7);
  for (const [index, line] of (ours ?? []).entries()) expect(line).not.toBe(theirs?.[index]);
  await run(copy.id, 'echo changed >~/file');
  expect(await run(id, 'cat ~/file')).toBe('kept\n');
  const bases = (await instances()).map(({ config }) => config?.['volatile.idmap.base']);
  expect(new Set(bases).size).toBe(2);

  const refused = await fork(id, 'three');
  expect(refused.json.error).toContain('limit of running computers (2)');
  expect(await instances()).toHaveLength(2);

  // A stopped one, whose copy is stopped.
  await service.http('POST', `/computers/${copy.id}/stop`);
  const third = (await fork(copy.id, 'three')).json;
  expect(third).toMatchObject({ status: 'stopped' });
  await service.http('POST', `/computers/${third.id}/start`);
  expect(await run(third.id, 'cat ~/file; hostname')).toBe('changed\nthree\n');
  for (const each of [copy.id, third.id]) await service.http('DELETE', `/computers/${each}`);
  expect(await instances()).toHaveLength(1);
}, 180_000);

it('a copy that is interrupted is whole or gone, and nothing is left of it', async () => {
  const [one] = (await service.http('GET', '/computers')).json.computers;
  // Given up while the cluster copies.
  const { json: deleted } = await fork(one.id, 'deleted', '?wait=0');
  expect(deleted.status).toBe('starting');
  expect((await service.http('DELETE', `/computers/${deleted.id}`)).status).toBe(200);
  expect(await instances()).toHaveLength(1);

  const { json: copy } = await fork(one.id, 'killed', '?wait=0');
  await eventually(async () => (await instances()).length === 2, 30_000);
  await service.kill('SIGKILL');
  await service.start();
  await eventually(async () => {
    const { json } = await service.http('GET', `/computers/${copy.id}`);
    return json.status === 'running';
  }, 60_000);
  expect(await run(copy.id, 'cat ~/file')).toBe('kept\n');
  expect(await instances()).toHaveLength(2);

  // The original goes on.
  expect(await run(one.id, 'pgrep -fxc "sleep 4321"')).toBe('1\n');
}, 180_000);
