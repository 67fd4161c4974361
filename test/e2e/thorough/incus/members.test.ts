import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Clustered } from '../../../../src/engines/clustered.js';
import type { Engine, MachinePlacement, MachineSpec } from '../../../../src/engines/engine.js';
import { openIncus } from '../../../../src/engines/incus/open.js';
import { openScreen } from '../../../../src/screen/index.js';
import { generateKeyPair } from '../../../../src/shell/keys.js';
import { openShell } from '../../../../src/shell/shell.js';
import { eventually } from '../../../support/eventually.js';
import { buildClusterImage } from '../../../support/incus/image.js';
import { addressOf, MEMBERS, openThreeMembers } from '../../../support/incus/three-members.js';

const keys = generateKeyPair();
const noPool = (): never => {
  throw new Error('this engine has no warm pool');
};
const spec = (id: string, placement?: MachinePlacement): MachineSpec => ({
  ...{ id, ownerId: 'own_one', projectId: 'prj_one', os: 'linux', image: 'linux', placement },
  ...{ cpu: 1, ram: 1, gpu: 'none', resolution: { width: 1024, height: 768 } },
  ...{ authorizedKey: keys.publicKey, hostName: 'desk' },
});

async function run(engine: Engine, id: string, command: string): Promise<string> {
  const access = { user: 'user', privateKey: keys.privateKey, timeoutMs: 60_000 };
  const shell = await openShell(await engine.dial(id, 'shell'), access);
  try {
    return (await shell.run({ command, timeoutMs: 60_000, background: false })).stdout;
  } finally {
    shell.close();
  }
}

it('machines run on the chosen members of three, and a lost member is unreachable, not gone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vc-three-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, 'state'));
  const state = join(directory, 'state');
  const cluster = await openThreeMembers(directory);
  onTestFinished(() => cluster.close());
  await cluster.setUp(state);
  // As after a member has joined: the rules lack it.
  const acl = '/1.0/network-acls/vc';
  await cluster.operator.run(acl, { method: 'PUT', body: { egress: [], ingress: [] } });
  await cluster.setUp(state);
  const { egress } = await cluster.operator.ask<{ egress: { destination: string }[] }>(acl);
  const closed = egress.flatMap(({ destination }) => destination.split(','));
  expect(closed).toEqual(
    expect.arrayContaining(['10.0.0.0/8', ...MEMBERS.map((name) => `${addressOf(name)}/32`)]),
  );
  await buildClusterImage(state, (line) => console.log(line));
  const group = { name: 'fast', members: ['m3'] };
  await cluster.operator.run('/1.0/cluster/groups', { method: 'POST', body: group });

  const engine = (await openIncus(state, {
    ...{ serviceId: 'three', internet: true, allowNetworks: [], options: {} },
    ...{
      networks: () => new Map(),
      warmUp: async () => undefined,
      prepare: async () => undefined,
      discard: () => undefined,
      identify: noPool,
      onProblem: (line) => console.log(line),
    },
  })) as Engine & Clustered;
  onTestFinished(() => engine.close?.());

  const places: Record<string, MachinePlacement> = {
    mch_first: { member: 'm1' },
    mch_second: { member: 'm2' },
    mch_third: { group: 'fast' },
  };
  const ids = Object.keys(places);
  for (const id of ids) await engine.create(spec(id, places[id]));
  await Promise.all(ids.map((id) => engine.start(id)));
  expect(await Promise.all(ids.map((id) => engine.memberOf(id)))).toEqual([...MEMBERS]);
  const listed = async () =>
    (await engine.list())
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, member, status }) => `${id} ${member} ${status}`);
  const running = ['mch_first m1 running', 'mch_second m2 running', 'mch_third m3 running'];
  expect(await listed()).toEqual(running);
  for (const id of ids) {
    expect(await run(engine, id, 'echo kept >~/file; whoami')).toBe('user\n');
    const screen = await openScreen(await engine.dial(id, 'screen'));
    expect(screen.size).toEqual({ width: 1024, height: 768 });
    screen.close();
  }

  const members = await engine.members();
  expect(members).toMatchObject([
    { name: 'm1', status: 'online', address: '10.80.0.1:8443', groups: ['default'] },
    { name: 'm2', status: 'online', address: '10.80.0.2:8443', groups: ['default'] },
    { name: 'm3', status: 'online', address: '10.80.0.3:8443', groups: ['default', 'fast'] },
  ]);
  for (const { architecture, resources } of members) {
    expect(architecture).toBe('x86_64');
    const { cpu = 0, memoryUsedBytes = 0, diskUsedBytes = 0 } = resources ?? {};
    expect([cpu, memoryUsedBytes, diskUsedBytes].every((each) => each > 0)).toBe(true);
    expect(memoryUsedBytes).toBeLessThan(resources?.memoryTotalBytes ?? 0);
    expect(diskUsedBytes).toBeLessThan(resources?.diskTotalBytes ?? 0);
  }

  // Found within this time by the others; the shortest that can be set. At first it is shorter than the
  // time between two heartbeats of a member, so not before machines are created.
  const body = { config: { 'cluster.offline_threshold': '11' } };
  await cluster.operator.run('/1.0', { method: 'PATCH', body });
  await cluster.kill('m2');
  await eventually(
    async () =>
      (await engine.memberStates()).find(({ name }) => name === 'm2')?.status === 'offline',
    120_000,
  );
  expect((await engine.members()).find(({ name }) => name === 'm2')).not.toHaveProperty(
    'resources',
  );
  await eventually(async () => (await listed())[1] === 'mch_second m2 unreachable', 60_000);
  await expect(engine.start('mch_second')).rejects.toMatchObject({ code: 'engine_unavailable' });
  expect(await run(engine, 'mch_third', 'cat ~/file')).toBe('kept\n');

  await cluster.restart('m2');
  await eventually(async () => (await listed())[1] === 'mch_second m2 stopped', 120_000);
  await engine.start('mch_second');
  expect(await run(engine, 'mch_second', 'cat ~/file')).toBe('kept\n');
  for (const id of ids) await engine.remove(id);
  expect(await engine.list()).toEqual([]);
}, 900_000);
