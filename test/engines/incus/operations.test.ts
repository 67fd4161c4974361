// @module-tag slow
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Cluster } from '../../../src/engines/incus/client/cluster.js';

const OPERATION = '/1.0/operations/op';
const failure = (error_code: number, error: string) => ({ type: 'error', error_code, error });
const state = (status_code: number, err = '') => ({
  ...{ type: 'sync', metadata: { id: 'op', status_code, err } },
});
/** Status codes of operations. */
const [RUNNING, SUCCEEDED, FAILED] = [103, 200, 400];
const FORGOTTEN = failure(404, 'Operation not found');
const TIME_IS_UP = failure(500, 'context deadline exceeded');

/** The answers of the cluster, in their order. */
let waits: object[];
let states: object[];
let cluster: Cluster;
let close: () => Promise<void>;

beforeEach(async () => {
  const server = createServer(({ url = '', method = '' }, response) => {
    const { pathname } = new URL(url, 'http://cluster');
    const answers: Record<string, object | undefined> = {
      ...(method === 'POST' && { '/1.0/instances': { type: 'async', metadata: { id: 'op' } } }),
      ...(pathname === OPERATION && { [OPERATION]: states.shift() }),
      ...(pathname.endsWith('/wait') && { [`${OPERATION}/wait`]: waits.shift() }),
    };
    response.end(JSON.stringify(answers[pathname] ?? failure(500, `not expected: ${url}`)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  cluster = new Cluster({
    ...{ urls: [`http://127.0.0.1:${port}`], project: 'vc' },
    ...{ serverCertificate: '', clientCertificate: '', clientKey: '' },
  });
  states = [];
  close = async () => {
    await cluster.close();
    server.close();
  };
});
afterEach(() => close());

const create = () => cluster.run('/1.0/instances', { method: 'POST', body: {} });

it('an operation that takes long is waited for, whatever the server says when its time is up', async () => {
  waits = [state(RUNNING), TIME_IS_UP, TIME_IS_UP, state(SUCCEEDED)];
  states = [state(RUNNING), state(RUNNING)];
  await create();
  waits = [TIME_IS_UP];
  states = [state(SUCCEEDED)];
  await create();
  expect([waits, states]).toEqual([[], []]);
});

it('an operation that is forgotten has ended', async () => {
  waits = [FORGOTTEN];
  states = [FORGOTTEN];
  await create();
  waits = [TIME_IS_UP];
  states = [FORGOTTEN];
  await create();
});

it('a failed operation fails, whichever way the server says so', async () => {
  const failed = { code: 'internal', cause: { status: 400, message: 'No such pool' } };
  waits = [state(FAILED, 'No such pool')];
  await expect(create()).rejects.toMatchObject(failed);
  // Not an operation that is forgotten.
  waits = [failure(404, 'No such pool')];
  states = [state(FAILED, 'No such pool')];
  await expect(create()).rejects.toMatchObject(failed);
  waits = [failure(404, 'No such pool')];
  states = [FORGOTTEN];
  await expect(create()).rejects.toMatchObject({ cause: { status: 404 } });
});

it('an operation that is said to run on at once is not asked for without a pause', async () => {
  waits = [...Array<object>(200).fill(state(RUNNING))];
  const began = cluster.run('/1.0/instances', { method: 'POST', body: {}, ms: 1_000 });
  await expect(began).rejects.toMatchObject({ code: 'engine_unavailable' });
  expect(waits.length).toBeGreaterThan(180);
});

it('an endless answer is refused', async () => {
  const server = createServer((_, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(1 << 20, 32)));
    };
    response.on('drain', more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hostile = new Cluster({
    ...{ urls: [`http://127.0.0.1:${port}`], project: 'vc' },
    ...{ serverCertificate: '', clientCertificate: '', clientKey: '' },
  });
  await expect(hostile.ask('/1.0')).rejects.toMatchObject({
    code: 'engine_unavailable',
    cause: { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' },
  });
  server.closeAllConnections();
  server.close();
  await hostile.close();
});

it('members whose connections would not be encrypted are not learned', () => {
  const [first = ''] = cluster.urls;
  const many = Array.from({ length: 200 }, (_, index) => `https://10.80.0.${index}:8443`);
  cluster.learn(['http://192.0.2.1', ...many]);
  expect(cluster.urls).toHaveLength(100);
  expect(cluster.urls.slice(0, 2)).toEqual([first, 'https://10.80.0.0:8443']);
});

it('an answer of far more values than a list of instances has is refused', async () => {
  states = [{ type: 'sync', metadata: Array(100_000).fill([]) }];
  await expect(cluster.ask(OPERATION)).rejects.toThrow('more values than any list of instances');
  const instances = Array(20_000).fill({ name: 'vc-cmp-1', status: 'Running' });
  states = [{ type: 'sync', metadata: instances }];
  expect(await cluster.ask(OPERATION)).toHaveLength(20_000);
});
