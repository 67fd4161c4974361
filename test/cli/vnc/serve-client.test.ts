import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Duplex, PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { responseTo } from '../../../src/cli/vnc/authentication.js';
import { serveClient } from '../../../src/cli/vnc/serve-client.js';
import { TokenBucket } from '../../../src/lib/async/token-bucket.js';
import { eventually } from '../../support/eventually.js';
import { connectVnc } from '../support/vnc-client.js';

const PASSWORD = 'aB3-_xyz';

/** The live view, from both ends. */
interface FakeView {
  readonly stream: Duplex;
  readonly fromClient: PassThrough;
  readonly toClient: PassThrough;
}

let server: Server;
let views: FakeView[];
let failures: unknown[];
/** Connections that have been served to their end. */
let served: number;
let handshakeMs: number | undefined;
let refusal: Error | undefined;
/** Of the service. */
let greeting: string;

beforeEach(async () => {
  [views, failures, served, handshakeMs, refusal] = [[], [], 0, undefined, undefined];
  greeting = 'RFB 003.008\n';
  // It does not refill during a test.
  const attempts = new TokenBucket(3, 1e-9);
  server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    const open = async () => {
      if (refusal !== undefined) throw refusal;
      return openView();
    };
    serveClient(socket, { password: PASSWORD, attempts, open, ...(handshakeMs && { handshakeMs }) })
      .catch((error: unknown) => failures.push(error))
      .finally(() => {
        served += 1;
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
});

function openView(): Duplex {
  const [fromClient, toClient] = [new PassThrough(), new PassThrough()];
  const stream = Duplex.from({ readable: toClient, writable: fromClient });
  toClient.write(greeting);
  toClient.write(Buffer.from([1, 1]));
  toClient.write(Buffer.alloc(4));
  views.push({ stream, fromClient, toClient });
  return stream;
}

const port = () => (server.address() as AddressInfo).port;
const isServed = () => eventually(async () => served === 1);
const messages = () => failures.map((failure) => (failure as Error).message);

function open(): Socket {
  const socket = connect(port(), '127.0.0.1').resume();
  return socket.on('error', () => undefined);
}

test('a client with the password is connected with the view, byte for byte', async () => {
  const client = await connectVnc(port(), PASSWORD);
  const { version, types, result } = client;
  expect({ version, types, result }).toEqual({ version: 'RFB 003.008\n', types: [2], result: 0 });
  const [view] = views;
  client.socket.write(Buffer.from([1, 3, 0, 7]));
  await eventually(async () => view?.fromClient.readableLength === 12 + 1 + 4);
  expect(view?.fromClient.read()).toEqual(
    Buffer.from('RFB 003.008\n\x01\x01\x03\x00\x07', 'latin1'),
  );
  view?.toClient.write('from the computer');
  expect((await client.reader.read(17)).toString()).toBe('from the computer');
  client.socket.end();
  await eventually(async () => view?.fromClient.writableFinished);
  view?.toClient.end();
  await isServed();
  expect(failures).toEqual([]);
});

test('a wrong password is refused with the reason, and no view is opened', async () => {
  const { result, reason, socket } = await connectVnc(port(), 'aB3-_xyZ');
  expect({ result, reason }).toEqual({ result: 1, reason: 'wrong password' });
  await once(socket, 'close');
  expect({ opened: views.length, messages: messages() }).toEqual({
    ...{ opened: 0, messages: ['wrong password'] },
  });
});

test('after several wrong passwords even the right one is refused for a while', async () => {
  for (let wrong = 0; wrong < 4; wrong += 1) {
    expect((await connectVnc(port(), 'wrong')).reason).toBe('wrong password');
  }
  expect((await connectVnc(port(), PASSWORD)).reason).toMatch(/^too many wrong passwords/);
  expect(views).toEqual([]);
});

test('the reason why there is no view is told to the client', async () => {
  refusal = new Error('demo/desktop is stopped');
  expect(await connectVnc(port(), PASSWORD)).toMatchObject({ reason: 'demo/desktop is stopped' });
});

test.each([
  ['HTTP', 'GET / HTTP/1.1\r\nHost: example.com\r\n\r\n', 'the client does not support RFB 3.8'],
  ['an old version', 'RFB 003.003\n', 'the client does not support RFB 3.8'],
  ['another security type', 'RFB 003.008\n\x01', 'the client did not choose VNC authentication'],
])('a client that speaks %s is disconnected', async (_, bytes, message) => {
  const socket = open();
  socket.write(bytes, 'latin1');
  await once(socket, 'close');
  await isServed();
  expect(messages()).toEqual([message]);
});

test.each(['', 'RFB 003', 'RFB 003.008\n', 'RFB 003.008\n\x02half of it'])(
  'a client that ends after %j leaves nothing behind',
  async (bytes) => {
    const socket = open();
    socket.end(bytes, 'latin1');
    await once(socket, 'close');
    await isServed();
    expect(views).toEqual([]);
  },
);

test('a client that says nothing is disconnected', async () => {
  handshakeMs = 50;
  await once(open(), 'close');
  await isServed();
  expect(views).toEqual([]);
});

test('a client may send the handshake in pieces', async () => {
  const socket = connect({ port: port(), host: '127.0.0.1', noDelay: true });
  socket.on('error', () => undefined);
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  for (const byte of Buffer.from('RFB 003.008\n\x02')) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(async () => Buffer.concat(received).length === 12 + 2 + 16);
  const response = responseTo(Buffer.concat(received).subarray(14), PASSWORD);
  for (const byte of response) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(async () => Buffer.concat(received).length === 12 + 2 + 16 + 4);
  socket.destroy();
  views[0]?.toClient.end();
  await isServed();
  expect(Buffer.concat(received).readUInt32BE(30)).toBe(0);
});

test('bytes sent during the handshake wait outside of this process', async () => {
  const accepting = once(server, 'connection') as Promise<[Socket]>;
  const socket = open();
  const [accepted] = await accepting;
  let isOpening = true;
  // The first 16 bytes are no response to the challenge, but nothing beyond them is read either.
  while (isOpening && socket.bytesWritten < 64 << 20) {
    isOpening = socket.write(Buffer.alloc(1 << 20, 'RFB 003.008\n'));
  }
  await once(socket, 'close');
  expect(accepted.bytesRead).toBeLessThan(1 << 20);
});

test('a client that reads nothing makes the view wait', async () => {
  const { socket } = await connectVnc(port(), PASSWORD);
  socket.pause();
  const [view] = views;
  const block = Buffer.alloc(1 << 20);
  let [sent, isStuck] = [0, false];
  // The buffers of both sockets take a few MiB.
  while (!isStuck && sent < 64) {
    sent += 1;
    if (view?.toClient.write(block)) continue;
    const drained = new Promise((resolve) => view?.toClient.once('drain', () => resolve(false)));
    isStuck = (await Promise.race([drained, sleep(500, true)])) as boolean;
  }
  expect(sent).toBeLessThan(64);
  socket.destroy();
  await isServed();
});

test('the end of the view ends the client', async () => {
  const { socket } = await connectVnc(port(), PASSWORD);
  views[0]?.stream.destroy(new Error('the computer was stopped'));
  await once(socket.resume(), 'close');
  await isServed();
  expect(messages()).toEqual(['the computer was stopped']);
});

test('a service that speaks another protocol is reported to the client', async () => {
  greeting = 'RFB 004.001\n';
  expect((await connectVnc(port(), PASSWORD)).reason).toMatch(/speaks another protocol$/);
});
