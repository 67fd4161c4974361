// @module-tag slow
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { MachineEvent } from '../../../src/engines/engine.js';
import { Cluster } from '../../../src/engines/incus/client/cluster.js';
import { createIncusEngine } from '../../../src/engines/incus/engine.js';
import { KEY, PROJECT_KEY } from '../../../src/engines/incus/ids.js';
import type { Instance } from '../../../src/engines/incus/machine/instance.js';
import { eventually } from '../../support/eventually.js';

const COPY = 'lxd-move-of-6b1d7c8e-0c2f-4a35-9d8c-7f0f6f2f1a11';
const NAME = 'vc-cmp-1';
const UNDER_WAY = {
  ...{ status_code: 103, resources: { instances: [`/1.0/instances/${NAME}?project=vc`] } },
};
const CONFIG = {
  ...{ [PROJECT_KEY.pool]: 'vc', [PROJECT_KEY.network]: 'vcbr0' },
  [PROJECT_KEY.gateway]: '10.150.0.1/16',
};

/** What the cluster answers; tests change it. */
let instances: Instance[];
/** Called before each list is answered. */
let onList: () => void;
/** Requests that change something, and what they do. */
let changes: string[];
let onChange: (target: string | null) => void;
/** Operations that run. */
let underWay: object[];
let clients: WebSocket[];
let close: () => Promise<void>;
let engine: ReturnType<typeof createIncusEngine>;

beforeEach(async () => {
  instances = [instance(NAME, 'm1')];
  onList = () => {};
  onChange = () => {};
  clients = [];
  changes = [];
  underWay = [];
  const server = createServer(({ url = '', method = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://cluster');
    if (method !== 'GET') {
      changes.push(`${method} ${pathname}`);
      onChange(searchParams.get('target'));
      return response.end(JSON.stringify({ type: 'sync', metadata: {} }));
    }
    if (pathname === '/1.0/operations') {
      return response.end(JSON.stringify({ type: 'sync', metadata: { running: underWay } }));
    }
    const name = /^\/1\.0\/instances\/(.+)$/.exec(pathname)?.[1];
    const answer = (metadata: unknown) => JSON.stringify({ type: 'sync', metadata });
    if (pathname === '/1.0/projects/vc') return response.end(answer({ config: CONFIG }));
    if (pathname === '/1.0/instances') {
      const listed = answer(instances);
      onList();
      return response.end(listed);
    }
    if (name === undefined) return response.end(answer([]));
    const found = instances.find((each) => each.name === name);
    if (found !== undefined) return response.end(answer(found));
    response.end(JSON.stringify({ type: 'error', error_code: 404, error: 'Instance not found' }));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => clients.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cluster = new Cluster({
    ...{ urls: [`http://127.0.0.1:${port}`], project: 'vc' },
    ...{ serverCertificate: '', clientCertificate: '', clientKey: '' },
  });
  engine = createIncusEngine({ cluster, serviceId: 'mine', allowSudo: false, internet: false });
  close = async () => {
    await cluster.close();
    for (const socket of clients) socket.terminate();
    sockets.close();
    server.close();
  };
});
afterEach(() => close());

function instance(name: string, location: string, change: Partial<Instance> = {}): Instance {
  const config = { [KEY.service]: 'mine', [KEY.machine]: 'cmp_1' };
  return { name, location, status: 'Stopped', config, ...change };
}

const brief = (states: readonly MachineEvent[]) =>
  states.map((state) => `${state.id} ${state.status} ${'member' in state ? state.member : ''}`);

it('a machine that has only its copy is unreachable, never gone', async () => {
  expect(brief(await engine.list())).toEqual(['cmp_1 stopped m1']);
  instances.push(instance(COPY, 'm2'));
  expect(brief(await engine.list())).toEqual(['cmp_1 stopped m1']);
  instances = [instance(COPY, 'm2')];
  expect(await engine.list()).toMatchObject([
    { id: 'cmp_1', status: 'unreachable', isMoving: true },
  ]);
  expect(await engine.unlisted(['cmp_1'])).toMatchObject([{ isMoving: true }]);
  underWay = [UNDER_WAY];
  await expect(engine.start('cmp_1')).rejects.toMatchObject({
    ...{ code: 'engine_unavailable', message: expect.stringContaining('is moving the computer') },
  });
  instances = [instance(NAME, 'm2')];
  expect(brief(await engine.list())).toEqual(['cmp_1 stopped m2']);
});

it('copies of other services, and those that an operator has made, are none of its machines', async () => {
  instances = [
    instance(COPY, 'm2', { config: { [KEY.service]: 'other', [KEY.machine]: 'cmp_1' } }),
    instance('web', 'm2'),
  ];
  expect(await engine.list()).toEqual([]);
  expect(await engine.unlisted(['cmp_1'])).toEqual([]);
});

it('a list that lacks a machine does not mean that it is gone', async () => {
  // Renamed while it was listed.
  instances = [];
  onList = () => {
    instances = [instance(NAME, 'm2')];
  };
  expect(brief(await engine.list())).toEqual([]);
  instances = [];
  expect(brief(await engine.unlisted(['cmp_1']))).toEqual(['cmp_1 stopped m2']);
  // Its copy is on a member that does not answer.
  onList = () => {};
  instances = [instance(COPY, 'm2', { status: 'Error', config: null })];
  expect(brief(await engine.unlisted(['cmp_1']))).toEqual(['cmp_1 unreachable ']);
  instances = [];
  expect(await engine.unlisted(['cmp_1'])).toEqual([]);
});

it('a stopped machine is moved once; one that runs is not', async () => {
  onChange = (target) => {
    instances = [instance(NAME, target ?? '')];
  };
  await engine.move('cmp_1', 'm2');
  await engine.move('cmp_1', 'm2');
  expect(changes).toEqual([`POST /1.0/instances/${NAME}`]);
  expect(brief(await engine.list())).toEqual(['cmp_1 stopped m2']);
  instances = [instance(NAME, 'm2', { status: 'Running' })];
  await expect(engine.move('cmp_1', 'm1')).rejects.toMatchObject({ code: 'conflict' });
  expect(changes).toHaveLength(1);
});

it('a move that was interrupted is completed, unless the cluster is still about it', async () => {
  instances = [instance(COPY, 'm2')];
  underWay = [UNDER_WAY];
  await expect(engine.move('cmp_1', 'm2')).rejects.toThrow('is moving the computer');
  underWay = [{ status_code: 103, description: 'Evacuating cluster member', resources: null }];
  await expect(engine.move('cmp_1', 'm2')).rejects.toThrow('is moving the computer');
  expect(changes).toEqual([]);

  // The original is gone: its copy gets the name.
  underWay = [{ status_code: 103, resources: { instances: ['/1.0/instances/vc-cmp-2'] } }];
  onChange = () => {
    instances = [instance(NAME, 'm2')];
  };
  await engine.move('cmp_1', 'm2');
  expect(changes).toEqual([`POST /1.0/instances/${COPY}`]);

  // It is still there: the copy may not be complete.
  changes.length = 0;
  instances = [instance(NAME, 'm1'), instance(COPY, 'm2')];
  onChange = (target) => {
    instances = [instance(NAME, target ?? 'm1')];
  };
  await engine.move('cmp_1', 'm2');
  expect(changes).toEqual([`DELETE /1.0/instances/${COPY}`, `POST /1.0/instances/${NAME}`]);
});

/** Carries out a deletion, and gives a copy that is renamed the name of the machine. */
const carryOut = () => {
  const [method, path] = changes.at(-1)?.split(' ') ?? [];
  const changed = instances.find(({ name }) => path === `/1.0/instances/${name}`);
  if (changed === undefined || !(method === 'DELETE' || changed.name === COPY)) return;
  const renamed = method === 'DELETE' ? [] : [instance(NAME, changed.location)];
  instances = [...instances.filter((each) => each !== changed), ...renamed];
};

it('a machine is removed with the copy of a move that was interrupted', async () => {
  onChange = carryOut;
  instances = [instance(COPY, 'm2')];
  await engine.remove('cmp_1');
  expect(changes).toEqual([`DELETE /1.0/instances/${COPY}`]);

  changes.length = 0;
  instances = [instance(NAME, 'm1'), instance(COPY, 'm2')];
  await engine.remove('cmp_1');
  expect(changes).toEqual([`DELETE /1.0/instances/${NAME}`, `DELETE /1.0/instances/${COPY}`]);
  expect(instances).toEqual([]);
});

it('a copy is not removed while the cluster is about the move', async () => {
  onChange = carryOut;
  instances = [instance(COPY, 'm2')];
  underWay = [UNDER_WAY];
  let ms = performance.now();
  const now = vi.spyOn(performance, 'now').mockImplementation(() => {
    ms += 61_000;
    return ms;
  });
  await expect(engine.remove('cmp_1')).rejects.toThrow('is moving the computer');
  now.mockRestore();
  expect(changes).toEqual([]);

  let lists = 0;
  onList = () => {
    lists += 1;
    if (lists === 3) underWay = [];
  };
  await engine.remove('cmp_1');
  expect(lists).toBeGreaterThan(3);
  expect(changes).toEqual([`DELETE /1.0/instances/${COPY}`]);
});

it.each([
  ['started', () => engine.start('cmp_1'), [`PUT /1.0/instances/${NAME}/state`]],
  ['stopped', () => engine.stop('cmp_1', 0), []],
  ['named', () => engine.setHostName?.('cmp_1', 'desk'), [`PATCH /1.0/instances/${NAME}`]],
])('a move that was interrupted is completed when the machine is %s', async (_, step, further) => {
  onChange = carryOut;
  instances = [instance(COPY, 'm2')];
  underWay = [UNDER_WAY];
  await expect(step()).rejects.toThrow('is moving the computer');
  expect(changes).toEqual([]);
  underWay = [];
  await step();
  expect(changes).toEqual([`POST /1.0/instances/${COPY}`, ...further]);
  expect(brief(await engine.list())).toEqual(['cmp_1 stopped m2']);
});

it('a machine that has the user ids of another one gets others, or is moved back', async () => {
  const ids = (base: string) => ({
    config: {
      ...{ [KEY.service]: 'mine', [KEY.machine]: 'cmp_1' },
      'volatile.idmap.base': base,
    },
  });
  const other = instance('vc-cmp-2', 'm2', ids('165536'));
  instances = [instance(NAME, 'm1', ids('231072')), other];
  const move = (target: string | null) => {
    if (target === null) return;
    instances = [instance(NAME, target, ids(target === 'm2' ? '165536' : '231072')), other];
  };
  onChange = move;
  await expect(engine.move('cmp_1', 'm2')).rejects.toThrow('the user ids of another one');
  expect(instances[0]).toMatchObject({ name: NAME, location: 'm1' });

  // It gets others there when its configuration changes.
  onChange = (target) => {
    if (target === null) instances = [instance(NAME, 'm2', ids('393216')), other];
    else move(target);
  };
  changes.length = 0;
  await engine.move('cmp_1', 'm2');
  const path = `/1.0/instances/${NAME}`;
  expect(changes).toEqual([`POST ${path}`, `PATCH ${path}`, `PATCH ${path}`]);
  expect(instances[0]).toMatchObject({ name: NAME, location: 'm2' });
}, 30_000);

it('events of a move tell where the machine is; those of a deletion that it is gone', async () => {
  const seen: MachineEvent[] = [];
  const watching = new AbortController();
  const watch = (async () => {
    for await (const event of engine.watch(watching.signal)) seen.push(event);
  })();
  const told = async (action: string, name: string, old_name?: string) => {
    const before = seen.length;
    const metadata = { action, source: `/1.0/instances/${name}?project=vc`, context: { old_name } };
    for (const client of clients) client.send(JSON.stringify({ type: 'lifecycle', metadata }));
    await eventually(async () => seen.length > before);
    return brief(seen.slice(before));
  };
  await eventually(async () => clients.length === 1);
  instances = [instance(COPY, 'm2')];
  expect(await told('instance-deleted', NAME)).toEqual(['cmp_1 unreachable ']);
  instances = [instance(NAME, 'm2')];
  expect(await told('instance-renamed', NAME, COPY)).toEqual(['cmp_1 stopped m2']);
  // The event of the deletion comes late.
  expect(await told('instance-deleted', NAME)).toEqual(['cmp_1 stopped m2']);
  instances = [];
  expect(await told('instance-deleted', NAME)).toEqual(['cmp_1 gone ']);
  instances = [instance('taken', 'm2')];
  expect(await told('instance-renamed', 'taken', NAME)).toEqual(['cmp_1 gone ']);
  watching.abort();
  await watch;
});
