// @module-tag slow
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ComputerStartError, VirtualComputers } from '../../../src/client/index.js';
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

const C = '/api/projects/shop/computers/desk';
const desk = () => vc.computer({ project: 'shop', name: 'desk' });
const computer = (id: string, status = 'running') => ({ id, name: id, status });
/** The requests as they were sent, without their headers. */
const sent = () => service.received.map(({ method, url, body }) => [`${method} ${url}`, body]);

it('creates, lists and deletes snapshots', async () => {
  const clean = { name: 'clean', parent: null, bytes: 5, memory: false, current: true };
  service.on('POST /projects/shop/computers/desk/snapshots', clean);
  service.on('GET /projects/shop/computers/desk/snapshots', { snapshots: [clean] });
  service.on('DELETE /projects/shop/computers/desk/snapshots/clean', { success: true });
  const { snapshots } = desk();
  expect(await snapshots.create('clean')).toEqual(clean);
  await snapshots.create({ memory: false });
  await snapshots.create();
  expect(await snapshots.list()).toEqual([clean]);
  await snapshots.delete('clean');
  expect(sent()).toEqual([
    [`POST ${C}/snapshots`, { name: 'clean' }],
    [`POST ${C}/snapshots`, { memory: false }],
    [`POST ${C}/snapshots`, {}],
    [`GET ${C}/snapshots`, undefined],
    [`DELETE ${C}/snapshots/clean`, undefined],
  ]);
  expect(service.received[0]?.headers['idempotency-key']).toBeTypeOf('string');
});

it('a reset resolves when the computer is ready, or stopped as it was', async () => {
  service.on('POST /projects/shop/computers/desk/reset', computer('cmp_1', 'stopping'));
  const statuses = ['stopping', 'stopped'];
  service.handle('GET /computers/cmp_1', (_, response) =>
    response.end(JSON.stringify(computer('cmp_1', statuses.shift()))),
  );
  const handle = desk();
  expect((await handle.reset()).status).toBe('stopped');
  expect(handle.info?.status).toBe('stopped');
  expect((await handle.reset('clean', { wait: false })).status).toBe('stopping');
  expect(sent().filter(([request]) => String(request).startsWith('POST'))).toEqual([
    [`POST ${C}/reset?wait=1`, {}],
    [`POST ${C}/reset?wait=0`, { snapshot: 'clean' }],
  ]);
  service.on('POST /projects/shop/computers/desk/reset', computer('cmp_1', 'error'));
  await expect(handle.reset()).rejects.toThrow(ComputerStartError);
});

it('forks once or several times, from a snapshot', async () => {
  const fork = 'POST /projects/shop/computers/desk/fork';
  service.on(fork, computer('cmp_2'));
  expect((await desk().fork('copy', { snapshot: 'clean' })).id).toBe('cmp_2');
  service.on(fork, { computers: [computer('cmp_3'), computer('cmp_4', 'starting')] });
  service.on('GET /computers/cmp_4', computer('cmp_4'));
  const copies = await desk().fork(['a', 'b']);
  expect(copies.map(({ id, info }) => [id, info.status])).toEqual([
    ['cmp_3', 'running'],
    ['cmp_4', 'running'],
  ]);
  service.on(fork, { computers: [computer('cmp_5')] });
  expect(await desk().fork(['only'])).toHaveLength(1);
  expect(sent().filter(([request]) => String(request).startsWith('POST'))).toEqual([
    [`POST ${C}/fork?wait=1`, { name: 'copy', snapshot: 'clean' }],
    [`POST ${C}/fork?wait=1`, { names: ['a', 'b'] }],
    [`POST ${C}/fork?wait=1`, { names: ['only'] }],
  ]);
});

it('one of several copies that fails rejects with that one', async () => {
  const computers = [computer('cmp_2'), computer('cmp_3', 'error')];
  service.on('POST /projects/shop/computers/desk/fork', { computers });
  await expect(desk().fork(['a', 'b'])).rejects.toMatchObject({ computer: { id: 'cmp_3' } });
  expect(await desk().fork(['a', 'b'], { wait: false })).toHaveLength(2);
});

it('saves, gets and deletes images, of a computer by its id or by its name', async () => {
  const image = { name: 'ready', kind: 'saved', used_by: 0 };
  service.on('POST /images', image);
  service.on('GET /images/ready', image);
  service.on('GET /images', { images: [image], failures: [] });
  service.on('DELETE /images/ready', { success: true });
  expect(await vc.images.save('ready', desk())).toEqual(image);
  await vc.images.save('ready', vc.computer({ id: 'cmp_1' }), { snapshot: 'clean' });
  await vc.images.save('ready', { project: 'shop', name: 'a/b' }, { shared: true });
  expect(await vc.images.get('ready')).toEqual(image);
  expect((await vc.images.list()).images).toEqual([image]);
  service.on('GET /images/ready/log', '#1 DONE 0.1s');
  // The fake service answers JSON.
  expect(await vc.images.log('ready')).toBe('"#1 DONE 0.1s"');
  await vc.images.delete('ready');
  service.on('DELETE /build-cache', { bytes: 5 });
  expect(await vc.images.prune()).toBe(5);
  expect(sent().map(([, body]) => body)).toEqual([
    { name: 'ready', computer: 'shop/desk' },
    { name: 'ready', computer: 'cmp_1', snapshot: 'clean' },
    { name: 'ready', computer: 'shop/a/b', shared: true },
    ...[undefined, undefined, undefined, undefined, undefined],
  ]);
});
