import { beforeEach, expect, it } from 'vitest';
import { LABEL } from '../../../../src/engines/containers/ids.js';
import { Containers } from '../../../../src/engines/containers/machine/containers.js';
import { SavedDisks } from '../../../../src/engines/containers/saved/saved-disks.js';
import { Saves } from '../../../../src/engines/containers/saved/saves.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';
import type { SaveRequest } from '../../../../src/engines/engine.js';
import { FakeContainerEngine } from './fake-engine.js';

const service = { [LABEL.service]: 'svc' };
const uid = { [LABEL.uid]: '2010000007' };
const request: SaveRequest = { id: 'snp_1', kind: 'snapshot', ownerId: 'own_1', memory: true };

let engine: FakeContainerEngine;
let disks: SavedDisks;
let saves: Saves;

function open(dialect = dockerDialect) {
  engine = new FakeContainerEngine(dialect);
  engine.images = [{ id: 'sha256:linux', tags: ['vc/linux:latest'], labels: {} }];
  engine.containers = [
    {
      ...{ id: 'm', name: 'vc-m1', image: 'sha256:linux', state: 'running' },
      labels: { ...service, ...uid, [LABEL.machine]: 'm1', [LABEL.project]: 'p' },
    },
  ];
  disks = new SavedDisks(engine.docker, 'svc');
  const containers = new Containers(engine.docker, 'svc');
  saves = new Saves({ docker: engine.docker, serviceId: 'svc', containers, disks });
}
beforeEach(() => open());

it('has the Engine pause a machine whose files it cannot reach, and lists no machine for its image', async () => {
  const saved = await saves.save('m1', request);
  await saves.settled();
  expect(saved).toEqual({
    ...{ id: 'snp_1', kind: 'snapshot', machine: 'm1', bytes: 123, memory: false },
  });
  expect(engine.calls).toEqual([
    'create vc-builder-snp_1',
    'commit m paused',
    'remove vc-builder-snp_1',
  ]);
  expect(engine.images[1]?.labels).toMatchObject({
    ...service,
    ...uid,
    ...{ [LABEL.machine]: '', [LABEL.project]: '', [LABEL.spare]: '' },
    ...{ [LABEL.of]: 'm1', [LABEL.owner]: 'own_1' },
  });
  // A container that is made from it, and that nobody has given these labels.
  engine.containers = [
    { ...(engine.containers[0] ?? fail()), labels: engine.images[1]?.labels ?? {} },
  ];
  expect(await new Containers(engine.docker, 'svc').any()).toBe(false);
});

it('does nothing for a disk that is saved already', async () => {
  const saved = await saves.save('m1', request);
  await saves.settled();
  engine.calls.length = 0;
  expect(await saves.save('m1', request)).toEqual(saved);
  expect(engine.calls).toEqual([]);
});

it('removes the builder of a save that failed', async () => {
  engine.onCommit = async () => {
    throw new Error('no space left on device');
  };
  await expect(saves.save('m1', request)).rejects.toThrow('no space left');
  expect(engine.containers.map(({ name }) => name)).toEqual(['vc-m1']);
});

it('resumes the machine that a killed service has left paused, and removes the builder', async () => {
  const [machine] = engine.containers;
  if (machine === undefined) throw new Error('no machine');
  machine.state = 'paused';
  const labels = { ...service, [LABEL.of]: 'm1' };
  const copy = { ...labels, [LABEL.machine]: 'm2' };
  engine.containers.push(
    { id: 'b', name: 'vc-builder-snp_1', image: 'sha256:linux', labels, state: 'created' },
    // A copy of the machine has the labels of the disk that it was made from.
    { id: 'c', name: 'vc-m2', image: 'sha256:linux', labels: copy, state: 'paused' },
  );
  await saves.cleanUp();
  expect(engine.calls).toEqual(['unpause m', 'remove b']);
  expect(engine.containers.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'vc-m1 running',
    'vc-m2 paused',
  ]);
});

it('leaves the builder of a save that is in progress alone', async () => {
  engine.onCommit = () => saves.cleanUp();
  await saves.save('m1', request);
  await saves.settled();
  expect(engine.calls.filter((call) => call.startsWith('remove'))).toHaveLength(1);
});

it('replaces the builder of an interrupted save of the same disk', async () => {
  const labels = { ...service, [LABEL.of]: 'm1' };
  const left = { id: 'b', name: 'vc-builder-snp_1', image: 'sha256:linux', state: 'created' };
  engine.containers.push({ ...left, labels });
  await saves.save('m1', request);
  await saves.settled();
  expect(engine.containers.map(({ name }) => name)).toEqual(['vc-m1']);
});

it('refuses a disk of too many layers', async () => {
  engine.images = [{ id: 'sha256:linux', tags: [], labels: {}, layers: 120 }];
  await expect(saves.save('m1', request)).rejects.toMatchObject({ code: 'conflict' });
});

it("never has Podman commit a machine, whose files would belong to the host's ids", async () => {
  open({ ...dockerDialect, title: 'Podman', mapsUsers: true, firstHostId: async () => 1_000_000 });
  await expect(saves.save('m1', request)).rejects.toMatchObject({
    code: 'unsupported',
    remedy: /storage\.conf/,
  });
  expect(engine.containers).toHaveLength(1);
});

it('removes no image of a disk that is being saved', async () => {
  engine.onCommit = () => disks.collect();
  await saves.save('m1', request);
  expect(engine.tags()).toContain('vc-snapshot/snp_1:latest');
});

function fail(): never {
  throw new Error('missing');
}
