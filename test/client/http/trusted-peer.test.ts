import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { openPooledClient } from '../../../src/cli/http/pooled-client.js';
import { verifyPeer } from '../../../src/client/http/trusted-peer.js';
import { UntrustedListenerError, VirtualComputers } from '../../../src/client/index.js';
import { type FakeService, startFakeService } from '../../cli/support/fake-service.js';
import { openWorld } from '../../cli/support/run.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

/** An unprivileged user who listens on the port before the service. */
const NOBODY = 65_534;
const reason =
  process.platform === 'linux' && process.geteuid?.() === 0
    ? undefined
    : 'listening as another user needs root on Linux';

const children: ChildProcess[] = [];
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const close of closing.splice(0)) await close();
});

/** Prints its port, then each request that it receives; answers like the service. */
const THIEF = `
  const server = require('node:net').createServer((socket) => {
    socket.on('data', (data) => {
      process.stdout.write(data.toString());
      socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 15\\r\\n\\r\\n{"projects":[]}');
    }).on('error', () => {});
  });
  server.listen(Number(process.argv[2]), process.argv[1], () => console.log(server.address().port));
`;

async function startThief(host: string, port = 0) {
  const child = spawn(process.execPath, ['-e', THIEF, host, String(port)], {
    ...{ uid: NOBODY, gid: NOBODY, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] },
  });
  children.push(child);
  let seen = '';
  child.stdout?.on('data', (data) => {
    seen += data;
  });
  if (child.stdout) await once(child.stdout, 'data');
  return { port: Number(seen.split('\n')[0]), seen: () => seen.split('\n').slice(1).join('\n') };
}

function client(port: number, host = '127.0.0.1', options = {}) {
  const vc = new VirtualComputers({
    ...{ baseUrl: `http://${host}:${port}/api`, apiKey: 'vc_secret', ...options },
  });
  closing.push(() => vc.close());
  return vc;
}

promise.unless(reason)(
  25,
  'no key goes to a local port of another user, over HTTP or WebSocket',
  async (report) => {
    let refused = 0;
    for (const [bound, host] of [
      ['127.0.0.1', '127.0.0.1'],
      ['127.0.0.1', 'localhost'],
      ['0.0.0.0', '127.0.0.1'],
      ['::', '127.0.0.1'],
      ['::', '[::1]'],
      ['127.0.0.2', '127.0.0.2'],
    ] as const) {
      const thief = await startThief(bound);
      const vc = client(thief.port, host);
      const desk = vc.computer({ id: 'cmp_1' });
      const pooled = openPooledClient({
        baseUrl: `http://${host}:${thief.port}/api`,
        apiKey: 'vc_secret',
      });
      closing.push(() => pooled.close());
      for (const send of [
        () => pooled.request('listProjects'),
        () => vc.projects.list(),
        () => desk.files.open('x'),
        () => desk.files.write('x', Readable.from(['content'])),
        () => desk.process({ argv: ['id'] }),
        () => desk.connect(80),
      ]) {
        const error = await send().catch((failure: unknown) => failure);
        expect(error).toBeInstanceOf(UntrustedListenerError);
        expect(error).toMatchObject({ uid: NOBODY, remedy: expect.stringContaining('65534') });
        refused += 1;
      }
      expect(thief.seen()).toBe('');
    }
    report(`${refused} requests, none sent`);
  },
  60_000,
);

/** Accepts the first connection, and then frees the port. */
const LEAVING_THIEF = `
  const server = require('node:net').createServer((socket) => {
    socket.on('data', (data) => process.stdout.write(data)).on('error', () => {});
    server.close();
    console.log('left');
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/** Accepts no connection: they wait in the port's queue. */
const WAITING_THIEF = `
import socket, time
server = socket.create_server(('127.0.0.1', 0))
print(server.getsockname()[1], flush=True)
time.sleep(60)
`;

/** The connected socket, and the lines that the program has printed after its port. */
async function connectTo(program: string, code: string): Promise<[Socket, () => string]> {
  const child = spawn(program, [program === 'python3' ? '-c' : '-e', code], {
    ...{ uid: NOBODY, gid: NOBODY, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] },
  });
  children.push(child);
  let printed = '';
  child.stdout?.on('data', (data) => {
    printed += data;
  });
  const port = await eventually(async () => /^(\d+)\n/.exec(printed)?.[1]);
  const socket = connect(Number(port), '127.0.0.1');
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  return [socket, () => printed.slice(port.length + 1)];
}

promise.unless(reason)(
  25,
  'a connection accepted by another user is not trusted after the service takes the port',
  async () => {
    const [socket, thief] = await connectTo(process.execPath, LEAVING_THIEF);
    await eventually(async () => thief() === 'left\n');
    // The service, of a trusted user, gets the port between the connection and the check.
    const service = createServer().listen(socket.remotePort, '127.0.0.1');
    closing.push(() => service.close());
    await once(service, 'listening');
    await expect(verifyPeer(socket, undefined)).rejects.toMatchObject({ uid: NOBODY });
    await verifyPeer(socket, NOBODY);
  },
);

describe.skipIf(reason !== undefined)('a port of another user', () => {
  test('is refused before the connection was accepted', async () => {
    const [socket] = await connectTo('python3', WAITING_THIEF);
    await expect(verifyPeer(socket, undefined)).rejects.toMatchObject({ uid: NOBODY });
  });

  test('is used if its uid is trusted, or any uid', async () => {
    const thief = await startThief('127.0.0.1');
    await client(thief.port, '127.0.0.1', { listenerUid: NOBODY }).projects.list();
    await client(thief.port, '127.0.0.1', { listenerUid: 'any' }).projects.list();
    const other = client(thief.port, '127.0.0.1', { listenerUid: NOBODY - 1 });
    await expect(other.projects.list()).rejects.toThrow(/uid 65534.*was not sent/);
  });

  test('is refused even if the client was connected to the service before', async () => {
    const service = await startFakeService();
    service.on('GET /projects', { projects: [] });
    const port = Number(new URL(service.baseUrl).port);
    const vc = client(port);
    await vc.projects.list();
    await service.close();
    const thief = await startThief('127.0.0.1', port);
    await expect(vc.projects.list()).rejects.toThrow();
    await expect(vc.projects.list()).rejects.toBeInstanceOf(UntrustedListenerError);
    expect(thief.seen()).toBe('');
  });

  test('on another address than the one in use does not matter', async () => {
    const service: FakeService = await startFakeService();
    closing.push(() => service.close());
    service.on('GET /projects', { projects: [] });
    const port = Number(new URL(service.baseUrl).port);
    await startThief('::1', port);
    await client(port).projects.list();
    await expect(client(port, '[::1]').projects.list()).rejects.toBeInstanceOf(
      UntrustedListenerError,
    );
  });

  test('makes commands fail with a remedy, unless VC_LISTENER_UID names its user', async () => {
    const thief = await startThief('127.0.0.1');
    const world = await openWorld();
    closing.push(() => world.close());
    const run = (uid?: string) => {
      const baseUrl = `http://127.0.0.1:${thief.port}/api`;
      const env = { VC_BASE_URL: baseUrl, VC_LISTENER_UID: uid };
      return world.run(['project', 'ls', '--json'], { env });
    };
    const remedy = expect.stringContaining('VC_LISTENER_UID=65534');
    expect(await run()).toMatchObject({ code: 7, stderr: remedy });
    expect(thief.seen()).toBe('');
    expect(await run('me')).toMatchObject({ code: 2 });
    expect(await run(`${NOBODY}`)).toMatchObject({ code: 0 });
  });
});
