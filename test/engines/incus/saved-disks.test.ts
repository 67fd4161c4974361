import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Cluster } from '../../../src/engines/incus/client/cluster.js';
import { KEY, PROJECT_KEY, PROPERTY } from '../../../src/engines/incus/ids.js';
import type { Instance } from '../../../src/engines/incus/machine/instance.js';
import { keptConfig } from '../../../src/engines/incus/machine/instance-config.js';
import { Instances } from '../../../src/engines/incus/machine/instances.js';
import { SavedDisks } from '../../../src/engines/incus/machine/saved-disks.js';

const CONFIG = {
  ...{ [PROJECT_KEY.pool]: 'vc', [PROJECT_KEY.network]: 'vcbr0' },
  [PROJECT_KEY.gateway]: '10.150.0.1/16',
};

/** What the cluster has; requests change it. */
let instances: Instance[];
let volumes: { name: string; location: string }[];
let images: { fingerprint: string; size: number; properties: Record<string, string> }[];
let changes: string[];
/** Error of the next publication. */
let failure: string | undefined;
let saved: SavedDisks;
let close: () => Promise<void>;

const instance = (id: string, service = 'mine'): Instance => ({
  ...{ name: `vc-${id.replace('_', '-')}`, location: 'm1', status: 'Running' },
  config: { [KEY.service]: service, [KEY.machine]: id },
});

beforeEach(async () => {
  instances = [instance('cmp_1'), instance('cmp_2', 'other')];
  volumes = ['vc-cmp-1', 'vc-cmp-1/vc-origin', 'vc-cmp-2/snp_9', 'web/snp_8'].map((name) => ({
    ...{ name, location: 'm1' },
  }));
  images = [{ fingerprint: 'recipe', size: 1, properties: { [PROPERTY.name]: 'linux' } }];
  changes = [];
  failure = undefined;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://cluster');
    const answer = (metadata: unknown) => response.end(JSON.stringify({ type: 'sync', metadata }));
    const fail = (code: number, error: string) =>
      response.end(JSON.stringify({ type: 'error', error_code: code, error }));
    let text = '';
    for await (const part of request) text += part;
    const body = text === '' ? {} : JSON.parse(text);
    if (request.method !== 'GET') changes.push(`${request.method} ${pathname}`);
    const snapshot = /^\/1\.0\/instances\/(.+)\/snapshots(?:\/(.+))?$/.exec(pathname);
    if (request.method === 'POST' && snapshot) {
      const name = `${snapshot[1]}/${body.name}`;
      if (volumes.some((volume) => volume.name === name)) return fail(409, 'already exists');
      volumes.push({ name, location: 'm1' });
      return answer({});
    }
    if (request.method === 'DELETE' && snapshot) {
      const name = `${snapshot[1]}/${snapshot[2]}`;
      if (!volumes.some((volume) => volume.name === name)) return fail(404, 'not found');
      volumes = volumes.filter((volume) => volume.name !== name);
      return answer({});
    }
    if (request.method === 'POST' && pathname === '/1.0/images') {
      if (failure !== undefined) return fail(400, failure);
      images.push({ fingerprint: `f${images.length}`, size: 7, properties: body.properties });
      return answer({});
    }
    if (request.method === 'DELETE') {
      images = images.filter(({ fingerprint }) => !pathname.endsWith(fingerprint));
      return answer({});
    }
    if (pathname === '/1.0/projects/vc') return answer({ config: CONFIG });
    if (pathname === '/1.0/images') return answer(images);
    if (pathname === '/1.0/instances') return answer(instances);
    if (pathname.startsWith('/1.0/storage-pools/vc/volumes')) return answer(volumes);
    const found = instances.find(({ name }) => pathname === `/1.0/instances/${name}`);
    if (found) return answer(found);
    if (pathname === '/1.0') return answer({ auth: 'trusted', api_extensions: [] });
    return fail(404, 'Instance not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cluster = new Cluster({
    ...{ urls: [`http://127.0.0.1:${port}`], project: 'vc' },
    ...{ serverCertificate: '', clientCertificate: '', clientKey: '' },
  });
  const serviceId = 'mine';
  saved = new SavedDisks({ cluster, serviceId, instances: new Instances(cluster, serviceId) });
  close = async () => {
    await cluster.close();
    server.close();
  };
});
afterEach(() => close());

const owner = { ownerId: 'own_1', memory: true } as const;
const of = { id: 'snp_1', kind: 'snapshot' } as const;

it('lists the snapshots of its machines, without the one that each was made with', async () => {
  expect(await saved.list()).toEqual([]);
  const disk = { ...of, machine: 'cmp_1', bytes: 0, memory: false };
  expect(await saved.save('cmp_1', { ...of, ...owner }, undefined)).toEqual(disk);
  expect(await saved.save('cmp_1', { ...of, ...owner }, undefined)).toEqual(disk);
  expect(await saved.list()).toEqual([disk]);
  expect(await saved.source('snp_1', undefined)).toEqual({
    source: { type: 'copy', source: 'vc-cmp-1/snp_1' },
    member: 'm1',
  });
  await expect(saved.source('snp_9', undefined)).rejects.toMatchObject({ code: 'not_found' });
  const other = saved.save('cmp_2', { ...of, ...owner }, undefined);
  await expect(other).rejects.toMatchObject({ code: 'not_found' });
});

it('an image is published from a snapshot, and leaves none', async () => {
  const image = { id: 'img_1', kind: 'image' } as const;
  const disk = { ...image, machine: 'cmp_1', bytes: 7, memory: false };
  expect(await saved.save('cmp_1', { ...image, ...owner }, undefined)).toEqual(disk);
  expect(await saved.save('cmp_1', { ...image, ...owner }, undefined)).toEqual(disk);
  expect(await saved.list()).toEqual([disk]);
  expect((await saved.source('img_1', undefined)).source.type).toBe('image');
  expect(changes).toEqual([
    'POST /1.0/instances/vc-cmp-1/snapshots',
    'POST /1.0/images',
    'DELETE /1.0/instances/vc-cmp-1/snapshots/img_1',
  ]);

  failure = 'no space left on device';
  const failing = saved.save('cmp_1', { ...image, id: 'img_2', ...owner }, undefined);
  await expect(failing).rejects.toThrow('no space left');
  expect(await saved.list()).toEqual([disk]);
});

it('removes a saved disk once, and nothing of another service', async () => {
  await saved.save('cmp_1', { ...of, ...owner }, undefined);
  await saved.save('cmp_1', { id: 'img_1', kind: 'image', of, ...owner }, undefined);
  for (const id of ['snp_1', 'img_1', 'snp_1', 'snp_9', 'snp_8']) await saved.remove(id);
  expect(await saved.list()).toEqual([]);
  expect(images).toHaveLength(1);
  expect(volumes.map(({ name }) => name)).toEqual([
    ...['vc-cmp-1', 'vc-cmp-1/vc-origin', 'vc-cmp-2/snp_9', 'web/snp_8'],
  ]);
});

it('a snapshot on a member that is away is listed, and is not removed', async () => {
  await saved.save('cmp_1', { ...of, ...owner }, undefined);
  instances = [{ ...instance('cmp_1'), status: 'Error', config: null }];
  expect(await saved.list()).toMatchObject([{ id: 'snp_1' }]);
  await expect(saved.remove('snp_1')).rejects.toMatchObject({ code: 'engine_unavailable' });
});

it('a machine that is reset keeps its own settings', () => {
  const config = {
    ...{ 'limits.cpu': '2', 'user.vc.name': 'new', 'environment.VC_HOST_NAME': 'new' },
    ...{ 'volatile.idmap.base': '1', 'security.privileged': 'false' },
  };
  expect(Object.keys(keptConfig(config))).toEqual([
    ...['limits.cpu', 'user.vc.name', 'environment.VC_HOST_NAME'],
  ]);
});
