import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { checkAbandoned } from '../../../../src/engines/containers/checks/checks.js';
import { speak } from '../../../../src/engines/containers/dialect.js';
import { bridgeName, LABEL } from '../../../../src/engines/containers/ids.js';
import {
  findAbandoned,
  removeAbandoned,
} from '../../../../src/engines/containers/network/abandoned.js';
import { removalOf, tableName } from '../../../../src/engines/containers/network/firewall-rules.js';
import { describeOwner } from '../../../../src/engines/containers/network/guard-owner.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';

const MACHINE = 'cmp_0123456789abcdefghjk';
const OURS = 'svc_ours';
const OTHER = 'svc_other';

interface World {
  /** The label of the other service's process. */
  readonly owner?: string;
  readonly containers?: readonly string[];
  readonly networks?: readonly string[];
  readonly bridges?: readonly string[];
  readonly guards?: readonly string[];
  readonly tables?: readonly string[];
  /** The Engine's host, if it is another one. */
  readonly host?: string;
}

/** An Engine with the rules of two services; containers and networks are given by their service. */
function world(options: World = {}) {
  const { owner = '', containers = [], networks = [], bridges = [] } = options;
  const { guards = [OURS, OTHER], tables = [OURS, OTHER] } = options;
  const { host } = options;
  const done: string[] = [];
  const labelled = (service: string) => ({ Labels: { [LABEL.service]: service } });
  const docker = speak(
    {
      modem: { host, getSocketPath: async () => '/docker.sock' },
      version: async () => ({ Version: '1', Os: 'linux' }),
      listImages: async () => [],
      listNetworks: async () => networks.map(labelled),
      listContainers: async ({ filters }: { filters: { label: string[] } }) =>
        filters.label[0]?.startsWith(LABEL.firewall)
          ? guards.map((service) => ({
              ...{ Id: `guard-of-${service}`, State: 'running' },
              Labels: { [LABEL.firewall]: service, [LABEL.process]: owner },
            }))
          : containers.map(labelled),
      getContainer: (id: string) => ({ remove: async () => void done.push(`remove ${id}`) }),
    } as unknown as Docker,
    dockerDialect,
  );
  const helper = {
    run: async ({ command }: { command: readonly string[] }) => {
      if (command[2]?.includes('nft delete')) done.push(command.join(' '));
      const lines = [
        ...tables.map((service) => `table inet ${tableName(service)}`),
        'table inet filter',
        ...['docker0', ...bridges].map((name, index) => `${index}: ${name}: <UP> mtu 1500`),
      ];
      return { code: 0, output: lines.join('\n') };
    },
    config: () => Promise.reject(new Error('not used')),
  };
  return { docker, helper, done };
}

/** The label of a process that has ended. */
async function endedOwner(): Promise<string> {
  const running = await describeOwner(world().docker);
  return JSON.stringify({ ...JSON.parse(running), startTime: 1 });
}

const removed = [`remove guard-of-${OTHER}`, removalOf(tableName(OTHER)).join(' ')];

it('removes the rules of a service that was killed and left no computer', async () => {
  const { docker, helper, done } = world({ owner: await endedOwner() });
  expect(await removeAbandoned(docker, helper, OURS)).toEqual([tableName(OTHER)]);
  expect(done).toEqual(removed);
});

it('removes those of an earlier boot', async () => {
  const owner = JSON.parse(await describeOwner(world().docker));
  const before = JSON.stringify({ ...owner, bootId: 'another' });
  const { docker, helper, done } = world({ owner: before });
  await removeAbandoned(docker, helper, OURS);
  expect(done).toEqual(removed);
});

it.each<[string, () => Promise<World>]>([
  ['whose process runs', async () => ({ owner: await describeOwner(world().docker) })],
  ['with a computer', async () => ({ owner: await endedOwner(), containers: [OTHER] })],
  ['with a network', async () => ({ owner: await endedOwner(), networks: [OTHER] })],
  [
    'with a bridge of another Engine on this host',
    async () => ({ owner: await endedOwner(), bridges: [bridgeName(OTHER, MACHINE)] }),
  ],
  ['without a process in its label', async () => ({ owner: '' })],
  ['with a damaged label', async () => ({ owner: '{"pid":1}' })],
  [
    'in another PID namespace',
    async () => ({
      owner: JSON.stringify({ ...JSON.parse(await endedOwner()), namespace: 'pid:[1]' }),
    }),
  ],
  [
    'on an Engine of another host',
    async () => ({ owner: await endedOwner(), host: 'engine.example.com' }),
  ],
])('leaves the rules of a service %s alone', async (_, options) => {
  const { docker, helper, done } = world(await options());
  expect(await removeAbandoned(docker, helper, OURS)).toEqual([]);
  expect(done).toEqual([]);
});

it('never removes its own rules, or a table without an owner', async () => {
  const { docker, helper, done } = world({ owner: await endedOwner(), guards: [OURS] });
  await removeAbandoned(docker, helper, OURS);
  expect(done).toEqual([]);
  expect(await findAbandoned(docker, helper, OURS)).toEqual([
    { table: tableName(OTHER), guards: [], ownerIsGone: false },
  ]);
});

it('vc doctor lists them, with the commands that remove them', async () => {
  const signal = AbortSignal.timeout(5_000);
  const image = { RepoTags: ['vc/linux:latest'], Labels: { [LABEL.image]: 'linux' } };
  const check = async (options: World) => {
    const { docker, helper } = world(options);
    const images = { listImages: async () => [{ ...image, Id: 'sha256:1', Size: 1, Created: 1 }] };
    return checkAbandoned(Object.assign(docker, images), helper, signal);
  };
  const owner = await describeOwner(world().docker);
  expect(await check({ owner })).toEqual({ status: 'ok', detail: 'none' });
  const [ours, other] = [tableName(OURS), tableName(OTHER)];
  expect(await check({ owner: await endedOwner(), guards: [OTHER], tables: [OTHER] })).toEqual({
    status: 'stale',
    detail: `${other}: of services that no longer run`,
    remedy: `docker rm -f guard-of-svc && sudo nft delete table inet ${other}`,
  });
  expect(await check({ owner, guards: [OTHER] })).toMatchObject({
    remedy: `sudo nft delete table inet ${ours}`,
  });
});
