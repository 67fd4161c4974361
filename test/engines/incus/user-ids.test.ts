import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Cluster } from '../../../src/engines/incus/client/cluster.js';
import { createIncusEngine } from '../../../src/engines/incus/engine.js';
import { KEY, PROJECT_KEY } from '../../../src/engines/incus/ids.js';
import type { Instance } from '../../../src/engines/incus/machine/instance.js';

const BASE = 'volatile.idmap.base';
const PATH = '/1.0/instances/vc-cmp-1';

let server: 'incus' | 'lxd';
/** User ids that a change of its configuration gives the machine. */
let next: string;
let own: Instance;
/** Requests that change something. */
let changes: string[];
let engine: ReturnType<typeof createIncusEngine>;
let close: () => Promise<void>;

beforeEach(async () => {
  own = instance('vc-cmp-1', '165536');
  changes = [];
  const listener = createServer(({ url = '', method = '' }, response) => {
    const { pathname } = new URL(url, 'http://cluster');
    if (method !== 'GET') changes.push(`${method} ${pathname}`);
    if (method === 'PATCH') own = instance(own.name, next);
    const config = { pool: 'vc', network: 'vcbr0', gateway: '10.150.0.1/16' } as const;
    const answers: Record<string, unknown> = {
      '/1.0': { auth: 'trusted', api_extensions: [], environment: { server } },
      '/1.0/projects/vc': {
        config: Object.fromEntries(
          Object.entries(PROJECT_KEY).map(([name, key]) => [
            key,
            config[name as keyof typeof config],
          ]),
        ),
      },
      '/1.0/instances': [own, instance('vc-cmp-2', '165536')],
      [PATH]: own,
    };
    response.end(JSON.stringify({ type: 'sync', metadata: answers[pathname] ?? {} }));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const cluster = new Cluster({
    ...{ urls: [`http://127.0.0.1:${port}`], project: 'vc' },
    ...{ serverCertificate: '', clientCertificate: '', clientKey: '' },
  });
  engine = createIncusEngine({ cluster, serviceId: 'mine', allowSudo: false, internet: false });
  close = async () => {
    await cluster.close();
    listener.close();
  };
});
afterEach(() => close());

function instance(name: string, base: string): Instance {
  const config = { [KEY.service]: 'mine', [KEY.machine]: 'cmp_1', [BASE]: base };
  return { name, location: 'm1', status: 'Stopped', config };
}

it('a machine that Incus moved does not start with the user ids of another one', async () => {
  server = 'incus';
  next = '231072';
  await engine.start('cmp_1');
  expect(changes).toEqual([`PATCH ${PATH}`, `PATCH ${PATH}`, `PUT ${PATH}/state`]);
  changes = [];
  await engine.start('cmp_1');
  expect(changes).toEqual([`PUT ${PATH}/state`]);
});

it('a machine that cannot have user ids of its own does not start', async () => {
  server = 'incus';
  next = '165536';
  await expect(engine.start('cmp_1')).rejects.toThrow('the user ids of another one');
  expect(changes).not.toContain(`PUT ${PATH}/state`);
});

it('LXD gives a machine that it moves other user ids', async () => {
  server = 'lxd';
  await engine.start('cmp_1');
  expect(changes).toEqual([`PUT ${PATH}/state`]);
});
