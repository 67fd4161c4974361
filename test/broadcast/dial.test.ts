// @module-tag slow
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { expect, it } from 'vitest';
import { dial } from '../../src/broadcast/dial.js';
import { parseTarget } from '../../src/broadcast/target.js';
import { makeCertificate } from '../support/tls/certificate.js';

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

it('says how to trust the certificate of a target', async () => {
  const server = createTlsServer(makeCertificate('live.example.com'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target = parseTarget(`rtmps://live.example.com:${port}/app/secret`);
  const dialled = dial(target, ['127.0.0.1'], new AbortController().signal);
  await expect(dialled).rejects.toMatchObject({
    code: 'target_failed',
    remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  });
  server.close();
});
