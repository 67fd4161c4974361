import { afterEach, beforeEach, expect, it } from 'vitest';
import { VirtualComputers } from '../../../src/client/index.js';
import { type FakeService, startFakeService } from '../../cli/support/fake-service.js';

let service: FakeService;
let vc: VirtualComputers;
beforeEach(async () => {
  service = await startFakeService();
  vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key' });
});
afterEach(async () => {
  await vc.close();
  await service.close();
});

it('creates, lists and deletes volumes, and mounts them in a new computer', async () => {
  const data = { name: 'data', engine: 'docker', bytes: 0, used_by: 0 };
  service.on('POST /volumes', data);
  service.on('GET /volumes', { volumes: [data] });
  service.on('DELETE /volumes/data', { success: true });
  service.on('POST /projects/shop/computers', { id: 'cmp_1', name: 'desk', status: 'running' });
  expect(await vc.volumes.create('data', { engine: 'docker' })).toEqual(data);
  await vc.volumes.create('data');
  expect(await vc.volumes.list()).toEqual([data]);
  const volumes = ['data:/data', { name: 'more', path: '/more', read_only: true }];
  await vc.computers.create('shop', { name: 'desk', volumes });
  await vc.volumes.delete('data');
  const sent = service.received.map(({ method, url, body }) => [`${method} ${url}`, body]);
  expect(sent).toEqual([
    ['POST /api/volumes', { name: 'data', engine: 'docker' }],
    ['POST /api/volumes', { name: 'data' }],
    ['GET /api/volumes', undefined],
    ['POST /api/projects/shop/computers?wait=1', { name: 'desk', volumes }],
    ['DELETE /api/volumes/data', undefined],
  ]);
});
