import { afterAll, beforeAll, expect, it } from 'vitest';
import { instanceName } from '../../../../src/engines/incus/ids.js';
import { eventually } from '../../../support/eventually.js';
import {
  openServiceOnThree,
  type ServiceOnThree,
} from '../../../support/incus/service-on-three.js';
import type { MemberName } from '../../../support/incus/three-members.js';
import type { Json } from '../../../support/service/service.js';

const MOVED_MS = 600_000;

let world: ServiceOnThree;
beforeAll(async () => {
  world = await openServiceOnThree();
});
afterAll(() => world.close());

const setState = (member: MemberName, action: 'evacuate' | 'restore') =>
  world.cluster.operator.run(`/1.0/cluster/members/${member}/state`, {
    ...{ method: 'POST', body: { action }, ms: MOVED_MS },
  });

/** Records what the service says about computers until `work` is done. */
async function watched(ids: readonly string[], work: () => Promise<void>): Promise<Set<string>> {
  const seen = new Set<string>();
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const { computers } = (await world.service.http('GET', '/computers')).json;
    for (const id of ids) {
      const found = computers.find((each: Json) => each.id === id);
      seen.add(
        found === undefined ? 'none' : `${found.status} ${found.status_reason ?? ''}`.trim(),
      );
    }
  }
  await done;
  return seen;
}

it('computers of an evacuated member are on others with the same id, name and files', async () => {
  const first = await world.create('first', 'm2');
  const second = await world.create('second', 'm2');
  const stopped = await world.create('stopped', 'm2');
  const ids = [first, second, stopped];
  // Each member begins with the same user ids, so these have those of `first`.
  const others = [await world.create('other-1', 'm1'), await world.create('other-3', 'm3')];
  await world.service.http('POST', `/computers/${stopped}/stop`);
  const seen = await watched(ids, () => setState('m2', 'evacuate'));
  for (const each of seen) expect(['running', 'stopped']).toContain(each);

  await eventually(async () => {
    const found = await Promise.all(ids.map(world.computer));
    return (
      found.every(({ member }) => member !== 'm2') &&
      found.map(({ status }) => status).join() === 'running,running,stopped'
    );
  }, 60_000);
  expect((await world.computer(first)).name).toBe('first');
  expect(await world.bash(first, 'cat ~/file; hostname')).toBe('first\nfirst\n');
  expect(await world.bash(second, 'cat ~/file; hostname')).toBe('second\nsecond\n');
  await world.service.http('POST', `/computers/${stopped}/start`);
  expect(await world.bash(stopped, 'cat ~/file')).toBe('stopped\n');
  expect((await world.service.http('GET', `/computers/${first}/screenshot`)).status).toBe(200);
  // Incus starts them with the user ids that they had, the service with their own.
  for (const id of [first, second]) {
    await world.service.http('POST', `/computers/${id}/stop`);
    expect((await world.service.http('POST', `/computers/${id}/start`)).status).toBe(200);
  }
  const bases = await Promise.all(
    [...ids, ...others].map(async (id) => {
      const { location, config } = await world.instance(id);
      return `${location} ${config?.['volatile.idmap.base']}`;
    }),
  );
  expect(new Set(bases).size).toBe(bases.length);

  const back = await watched(ids, () => setState('m2', 'restore'));
  for (const each of back) expect(['running', 'stopped']).toContain(each);
  await eventually(async () => (await world.computer(first)).status === 'running', 60_000);
  expect(await world.bash(first, 'cat ~/file')).toBe('first\n');
}, 1_800_000);

it('a computer whose instance is deleted in the cluster is lost', async () => {
  const id = await world.create('deleted', 'm1');
  const path = `/1.0/instances/${instanceName(id)}`;
  const { operator } = world.cluster;
  const stop = { method: 'PUT', body: { action: 'stop', force: true } } as const;
  await operator.run(`${path}/state?project=vc`, stop);
  await operator.run(`${path}?project=vc`, { method: 'DELETE' });
  await eventually(async () => (await world.computer(id)).status === 'error', 10_000);
  expect((await world.computer(id)).status_reason).toContain('its disk is lost');
  const { status } = await world.service.http('DELETE', `/computers/${id}`);
  expect(status).toBe(200);
}, 300_000);
