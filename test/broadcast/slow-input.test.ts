import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import {
  type ConnectionOptions,
  connect as connectTls,
  createServer as createTlsServer,
  type TlsOptions,
} from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { dial } from '../../src/broadcast/rtmp/dial.js';
import { SlowInput } from '../../src/broadcast/rtmp/slow-input.js';
import { parseTarget } from '../../src/broadcast/target.js';
import { promise } from '../support/run/promise.js';
import { makeCertificate } from '../support/tls/certificate.js';

let close = () => undefined as unknown;
afterEach(() => void close());

async function open(onConnection: (socket: Socket) => void, make = createServer) {
  const server = make({ allowHalfOpen: true }, onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const raw = connect(port, '127.0.0.1');
  close = () => {
    raw.destroy();
    server.close();
  };
  return new SlowInput(raw, '127.0.0.1');
}

promise(29, 'what a stream target sends below RTMP is taken slowly', async (report) => {
  const input = await open((socket) => {
    socket.on('error', () => undefined);
    const more = () => {
      while (socket.writable && socket.write(Buffer.alloc(65_536)));
    };
    socket.on('drain', more);
    more();
  });
  input.secured();
  let [bytes, ofTurn, most] = [0, 0, 0];
  input.on('data', ({ length }: Buffer) => {
    if (ofTurn === 0) setImmediate(() => (ofTurn = 0));
    ofTurn += length;
    bytes += length;
    most = Math.max(most, ofTurn);
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(bytes).toBeGreaterThanOrEqual(128 * 1024);
  // At once, in a second, and in as much more as a busy host takes.
  expect(bytes).toBeLessThan(512 * 1024);
  expect(most).toBeLessThanOrEqual(8 * 1024);
  report(`${Math.round(bytes / 1024)} KiB in a second, ${most / 1024} KiB of them in a turn`);
  const closed = once(input, 'close');
  input.destroy();
  await closed;
});

it('passes all on in both directions, and its ends, under TLS', async () => {
  const text = 'x'.repeat(100_000);
  const certificate = makeCertificate('live.example.com');
  const make = (options: object, listener: (socket: Socket) => void) =>
    createTlsServer({ ...options, ...certificate }, listener);
  const input = await open(
    (socket) => {
      let received = '';
      socket.on('data', (data) => {
        received += data;
      });
      socket.on('end', () => socket.end(received));
    },
    make as unknown as typeof createServer,
  );
  const options = { socket: input, servername: 'live.example.com', ca: certificate.cert };
  const client = connectTls({ ...options, allowHalfOpen: true } as ConnectionOptions);
  client.once('secureConnect', () => input.secured());
  await once(client, 'secureConnect');
  client.end(text);
  let received = '';
  for await (const chunk of client) received += chunk;
  expect(received).toBe(text);
});

it('fails as the connection does', async () => {
  const raw = connect(1, '127.0.0.1');
  const input = new SlowInput(raw, '127.0.0.1');
  const [error] = await once(input, 'error');
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  expect(input.destroyed).toBe(true);
});

it('a target that cannot be reached, or hangs up during TLS, says so', async () => {
  const { signal } = new AbortController();
  const target = (port: number) => parseTarget(`rtmps://live.example.com:${port}/app/secret`);
  const refused = dial(target(1), ['127.0.0.1'], signal);
  await expect(refused).rejects.toThrow('nothing listens there');
  const server = createServer((socket) => socket.once('data', () => socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const left = dial(target(port), ['127.0.0.1'], signal);
  await expect(left).rejects.toMatchObject({ code: 'target_failed' });
  server.close();
});

it('offers no key exchange whose cost the target chooses', async () => {
  const certificate = makeCertificate('live.example.com');
  const options = { ...certificate, ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' };
  const server = createTlsServer({ ...options, maxVersion: 'TLSv1.2' } as TlsOptions);
  const failed = once(server, 'tlsClientError');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target = parseTarget(`rtmps://live.example.com:${port}/app/secret`);
  const dialled = dial(target, ['127.0.0.1'], new AbortController().signal);
  await expect(dialled).rejects.toMatchObject({ code: 'target_failed' });
  expect(String((await failed)[0])).toMatch(/no shared cipher/i);
  server.close();
});

promise(29, 'a TLS handshake is short, and those of a target are few', async (report) => {
  const open = async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(Buffer.alloc(64 * 1024));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const raw = connect((server.address() as AddressInfo).port, '127.0.0.1');
    // No other test has this address.
    const input = new SlowInput(raw, '192.0.2.7');
    let received = 0;
    input.on('data', ({ length }: Buffer) => {
      received += length;
    });
    const [error] = await once(input, 'error');
    server.close();
    expect((error as Error).message).toBe('its TLS handshake is too long');
    return received;
  };
  const begun = performance.now();
  for (let nth = 0; nth < 4; nth += 1) expect(await open()).toBeLessThanOrEqual(12 * 1024);
  // 12 KiB at once, and 64 KiB per second after that.
  expect(performance.now() - begun).toBeGreaterThan(450);
  report('12 KiB per handshake, 64 KiB per second of all targets');
});
