import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import {
  openServiceOnThree,
  type ServiceOnThree,
} from '../../../support/incus/service-on-three.js';

const MOVED_MS = 900_000;

let world: ServiceOnThree;
beforeAll(async () => {
  world = await openServiceOnThree();
});
afterAll(() => world.close());

const member = async (name: string) =>
  (await world.service.http('GET', `/cluster/members/${name}`)).json;

it('a member is drained although the service is killed meanwhile, and returned', async () => {
  const { service } = world;
  const first = await world.create('first', 'm2');
  const second = await world.create('second', 'm2');
  const stopped = await world.create('stopped', 'm2');
  // Each member begins with the same user ids, so these have those of `first`.
  const others = [await world.create('other-1', 'm1'), await world.create('other-3', 'm3')];
  const ids = [first, second, stopped];
  await service.http('POST', `/computers/${stopped}/stop`);

  const started = await service.cli(['cluster', 'drain', 'm2', '--detach']);
  expect(started.stderr).toContain('moving 3 computers from m2');
  await eventually(async () => (await member('m2')).drain?.moving === first, 30_000);
  // While LXD copies it.
  await eventually(async () => (await world.instance(first)).status === 'Stopped', 60_000);
  await service.kill('SIGKILL');
  await service.start();
  expect(await member('m2')).toMatchObject({ status: 'draining' });
  const refused = { name: 'no', member: 'm2' };
  expect((await service.http('POST', '/projects/demo/computers', refused)).json.error).toContain(
    'The cluster member "m2" is drained.',
  );
  const begun = Date.now();
  await eventually(async () => (await member('m2')).status === 'drained', MOVED_MS);
  console.log(`drained after ${Math.round((Date.now() - begun) / 1000)} s`);
  await eventually(async () => {
    const found = await Promise.all(ids.map(world.computer));
    return found.map(({ status }) => status).join() === 'running,running,stopped';
  }, 120_000);
  for (const id of ids) expect((await world.instance(id)).location).not.toBe('m2');
  expect(await world.bash(first, 'cat ~/file; hostname')).toBe('first\nfirst\n');
  expect(await world.bash(second, 'cat ~/file; hostname')).toBe('second\nsecond\n');
  expect((await service.http('GET', `/computers/${first}/screenshot`)).status).toBe(200);
  await service.http('POST', `/computers/${stopped}/start`);
  expect(await world.bash(stopped, 'cat ~/file')).toBe('stopped\n');
  const bases = await Promise.all(
    [...ids, ...others].map(async (id) => {
      const { location, config } = await world.instance(id);
      return `${location} ${config?.['volatile.idmap.base']}`;
    }),
  );
  expect(new Set(bases).size).toBe(bases.length);
  // Nothing is left of the moves.
  const names = await world.cluster.operator.ask<string[]>('/1.0/instances?project=vc');
  expect(names).toHaveLength(bases.length);

  const anywhere = await service.http('POST', '/projects/demo/computers', { name: 'anywhere' });
  expect((await world.computer(anywhere.json.id)).member).not.toBe('m2');
  expect((await service.cli(['cluster', 'return', 'm2'])).stderr).toBe(
    'm2 may have computers again\n',
  );
  const back = await world.create('back', 'm2');
  expect((await world.instance(back)).location).toBe('m2');
}, 1_800_000);
