import { beforeEach, expect, it } from 'vitest';
import { LABEL } from '../../../../src/engines/containers/ids.js';
import { SavedDisks } from '../../../../src/engines/containers/saved/saved-disks.js';
import type { DiskSource } from '../../../../src/engines/engine.js';
import { FakeContainerEngine } from './fake-engine.js';

const snapshot: DiskSource = { id: 'snp_1', kind: 'snapshot' };
const image: DiskSource = { id: 'img_1', kind: 'image' };
const labels = {
  ...{ [LABEL.service]: 'svc', [LABEL.of]: 'm1', [LABEL.bytes]: '42', [LABEL.owner]: 'own_1' },
};

let engine: FakeContainerEngine;
let disks: SavedDisks;
beforeEach(() => {
  engine = new FakeContainerEngine();
  engine.images = [
    { id: 'sha256:linux', tags: ['vc/linux:latest'], labels: { [LABEL.image]: 'linux' } },
    { id: 'sha256:1', tags: ['vc-snapshot/snp_1:latest'], labels },
    {
      ...{ id: 'sha256:2', tags: ['vc-snapshot/snp_2:latest'] },
      labels: { ...labels, [LABEL.service]: 'another' },
    },
  ];
  disks = new SavedDisks(engine.docker, 'svc');
});

/** A stopped container made from an image. */
function use(imageId: string) {
  engine.containers = [{ id: 'c', name: 'vc-m2', image: imageId, labels: {}, state: 'exited' }];
}

it("lists the service's own by their tags, with a registry or without", async () => {
  const listed = { ...snapshot, machine: 'm1', bytes: 42, memory: false };
  expect(await disks.list()).toEqual([listed]);
  const [, own] = engine.images;
  if (own) own.tags = ['docker.io/vc-snapshot/snp_1:latest', 'docker.io/vc-image/img_1:latest'];
  expect(await disks.list()).toEqual([listed, { ...listed, ...image }]);
});

it("does not find another service's, or one that was removed", async () => {
  for (const id of ['snp_2', 'snp_3']) {
    const source = { id, kind: 'snapshot' } as const;
    expect(await disks.find(source)).toBeUndefined();
    await expect(disks.image(source)).rejects.toMatchObject({ code: 'not_found' });
    await disks.remove(id);
  }
  expect(engine.tags()).toContain('vc-snapshot/snp_2:latest');
});

it('removes a disk that nothing needs', async () => {
  await disks.remove(snapshot.id);
  expect(engine.images.map(({ id }) => id)).toEqual(['sha256:linux', 'sha256:2']);
});

it('removes several disks at the same time', async () => {
  engine.images.push({ id: 'sha256:3', tags: ['vc-image/img_1:latest'], labels });
  await Promise.all([disks.remove(snapshot.id), disks.remove(image.id), disks.collect()]);
  expect(engine.images.map(({ id }) => id)).toEqual(['sha256:linux', 'sha256:2']);
});

it('keeps the image of a stopped machine until that is removed, and never uses force', async () => {
  use('sha256:1');
  await disks.remove(snapshot.id);
  expect(await disks.list()).toEqual([]);
  expect(engine.images.map(({ id }) => id)).toContain('sha256:1');
  await disks.forget('m3');
  expect(engine.images.map(({ id }) => id)).toContain('sha256:1');
  engine.containers = [];
  await disks.forget('m2');
  expect(engine.images.map(({ id }) => id)).not.toContain('sha256:1');
  expect(engine.calls.filter((call) => call.endsWith('by force'))).toEqual([]);
});

it('removes a disk when its last machine was put back to another', async () => {
  use('sha256:1');
  await disks.remove(snapshot.id);
  await disks.collectWaiting();
  expect(engine.images.map(({ id }) => id)).toContain('sha256:1');
  engine.containers = [];
  await disks.collectWaiting();
  expect(engine.images.map(({ id }) => id)).not.toContain('sha256:1');
});

it('keeps a disk that was saved again under another id', async () => {
  await disks.copy(snapshot, image);
  await disks.remove(snapshot.id);
  expect(await disks.list()).toMatchObject([image]);
  await disks.remove(image.id);
  expect(engine.images.map(({ id }) => id)).not.toContain('sha256:1');
});

it('keeps the image that a machine was made from, and only the first', async () => {
  await disks.keepOrigin('m1', 'sha256:linux');
  await disks.keepOrigin('m1', 'sha256:1');
  expect(await disks.origin('m1')).toMatchObject({ id: 'sha256:linux', uid: undefined });
  await disks.forget('m1');
  expect(engine.tags()).toEqual([
    ...['vc/linux:latest', 'vc-snapshot/snp_1:latest', 'vc-snapshot/snp_2:latest'],
  ]);
});

it("removes its own images without a tag, and nobody else's", async () => {
  for (const each of engine.images) each.tags = [];
  await disks.collect();
  expect(engine.images.map(({ id }) => id)).toEqual(['sha256:linux', 'sha256:2']);
});
