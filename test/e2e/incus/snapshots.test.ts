// @module-tag thorough
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  type Engine,
  isSnapshotting,
  type MachineSpec,
  type SaveRequest,
  type Snapshotting,
} from '../../../src/engines/engine.js';
import type { Instance } from '../../../src/engines/incus/machine/instance.js';
import { openIncus, withCluster } from '../../../src/engines/incus/open.js';
import { openScreen } from '../../../src/screen/index.js';
import { generateKeyPair } from '../../../src/shell/keys.js';
import { openShell } from '../../../src/shell/shell.js';

const keys = generateKeyPair();
const noPool = (): never => {
  throw new Error('this engine has no warm pool');
};
const spec = (id: string, change: Partial<MachineSpec> = {}): MachineSpec => ({
  ...{ id, ownerId: 'own_one', projectId: 'prj_one', os: 'linux', image: 'linux' },
  ...{ cpu: 1, ram: 1, gpu: 'none', resolution: { width: 1024, height: 768 } },
  ...{ authorizedKey: keys.publicKey, hostName: `desk-${id.slice(-1)}` },
  ...change,
});
const request = (id: string, change: Partial<SaveRequest> = {}): SaveRequest => ({
  ...{ id, kind: 'snapshot', ownerId: 'own_one', memory: true },
  ...change,
});

let engine: Engine & Snapshotting;
const removeAll = async () => {
  for (const { id } of await engine.list()) await engine.remove(id);
  for (const { id } of await engine.savedDisks()) await engine.removeSaved(id);
};
beforeAll(async () => {
  const opened = await openIncus(inject('clusterState'), {
    ...{ internet: true, allowNetworks: [], options: {}, serviceId: 'snapshots' },
    ...{ networks: () => new Map(), warmUp: async () => undefined, identify: noPool },
    ...{ prepare: async () => undefined, discard: () => undefined },
    onProblem: (line) => console.log(line),
  });
  if (!isSnapshotting(opened)) throw new Error('it saves no disks');
  engine = opened;
  // Of an attempt that failed.
  await removeAll();
  await engine.create(spec('mch_a'));
  await start('mch_a');
});
afterAll(async () => {
  await removeAll();
  await engine.close?.();
});

/** Resolves when the guest can be used. */
async function start(id: string): Promise<void> {
  await engine.start(id);
  (await openScreen(await engine.dial(id, 'screen'))).close();
}

async function run(id: string, command: string): Promise<string> {
  const access = { user: 'user', privateKey: keys.privateKey, timeoutMs: 30_000 };
  const shell = await openShell(await engine.dial(id, 'shell'), access);
  try {
    return (await shell.run({ command, timeoutMs: 60_000, background: false })).stdout;
  } finally {
    shell.close();
  }
}

const instance = (id: string) =>
  withCluster(inject('clusterState'), (cluster) =>
    cluster.ask<Instance>(`/1.0/instances/vc-${id.replace('_', '-')}`),
  );
const userIds = async (id: string) => (await instance(id)).config?.['volatile.idmap.base'];
const images = () =>
  withCluster(inject('clusterState'), (cluster) =>
    cluster.ask<{ properties: Record<string, string> }[]>('/1.0/images?recursion=1'),
  );

it('a running machine is saved, and reset to it with its name and address', async () => {
  await run('mch_a', 'echo old >~/file');
  const disk = await engine.save('mch_a', request('snp_1'));
  expect(disk).toMatchObject({ id: 'snp_1', kind: 'snapshot', machine: 'mch_a', memory: false });
  expect(await engine.save('mch_a', request('snp_1'))).toEqual(disk);
  expect(await engine.savedDisks()).toEqual([disk]);
  const address = "ip -4 -o address show eth0 | awk '{print $4}'; cat /var/lib/vc/machine-id";
  const before = await run('mch_a', address);
  await run('mch_a', 'echo new >~/file; touch ~/other');
  const from = { id: 'snp_1', kind: 'snapshot' } as const;
  await engine.reset(spec('mch_a', { from, cpu: 2, hostName: 'desk-a' }));
  expect((await engine.list())[0]?.status).toBe('stopped');
  await start('mch_a');
  expect(await run('mch_a', 'cat ~/file; ls ~/other 2>&1 | grep -c No; hostname')).toBe(
    'old\n1\ndesk-a\n',
  );
  expect(await run('mch_a', address)).toBe(before);
  expect((await instance('mch_a')).config?.['limits.cpu']).toBe('2');
});

it('two machines are made from one saved disk, each with user ids of its own', async () => {
  const from = { id: 'snp_1', kind: 'snapshot' } as const;
  for (const id of ['mch_b', 'mch_c']) {
    await engine.create(spec(id, { from }));
    await start(id);
  }
  for (const id of ['mch_b', 'mch_c']) {
    expect(await run(id, 'cat ~/file; hostname; stat -c %U ~/file')).toBe(
      `old\ndesk-${id.slice(-1)}\nuser\n`,
    );
  }
  await run('mch_b', 'echo mine >~/file');
  expect(await run('mch_c', 'cat ~/file')).toBe('old\n');
  const ids = await Promise.all(['mch_a', 'mch_b', 'mch_c'].map(userIds));
  expect(new Set(ids).size).toBe(3);
  // As it was made, which is not as the image is.
  await engine.reset(spec('mch_b', { from }));
  await start('mch_b');
  expect(await run('mch_b', 'cat ~/file')).toBe('old\n');
  expect(new Set(await Promise.all(['mch_a', 'mch_b', 'mch_c'].map(userIds))).size).toBe(3);
});

it('an image is made of a snapshot, and outlives the machine', async () => {
  const of = { id: 'snp_1', kind: 'snapshot' } as const;
  const image = await engine.save('mch_a', request('img_1', { kind: 'image', of }));
  expect(image).toMatchObject({ id: 'img_1', kind: 'image', machine: 'mch_a' });
  expect((await engine.images()).map(({ name }) => name)).toEqual(['linux']);
  for (const id of ['mch_a', 'mch_b', 'mch_c']) await engine.remove(id);
  // Its snapshots went with it.
  expect((await engine.savedDisks()).map(({ id }) => id)).toEqual(['img_1']);
  const from = { id: 'img_1', kind: 'image' } as const;
  await engine.create(spec('mch_d', { image: 'mine', from }));
  await engine.removeSaved('img_1');
  await engine.removeSaved('img_1');
  expect(await engine.savedDisks()).toEqual([]);
  expect((await images()).filter(({ properties }) => properties['vc.saved'])).toEqual([]);
  await start('mch_d');
  expect(await run('mch_d', 'cat ~/file; stat -c %U ~/file')).toBe('old\nuser\n');
  await expect(engine.create(spec('mch_e', { from }))).rejects.toMatchObject({ code: 'not_found' });
  const gone = { id: 'snp_1', kind: 'snapshot' } as const;
  const failed = engine.reset(spec('mch_d', { from: gone }));
  await expect(failed).rejects.toMatchObject({ code: 'not_found' });
  expect(await run('mch_d', 'cat ~/file')).toBe('old\n');
});
