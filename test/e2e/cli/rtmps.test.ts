import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dial } from '../../../src/broadcast/dial.js';
import { parseTarget } from '../../../src/broadcast/target.js';
import { compileModules } from '../../support/cli/bundle.js';
import { makeCertificate } from '../../support/tls/certificate.js';

const directory = mkdtempSync(join(tmpdir(), 'vc-tls-'));
const certificate = makeCertificate('live.example.com');
const cert = join(directory, 'cert.pem');
writeFileSync(cert, certificate.cert);
let server: ReturnType<typeof createServer>;

beforeAll(async () => {
  server = createServer(certificate, (socket) => {
    socket.on('error', () => undefined);
    socket.end(socket.servername || 'no name');
  }).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => undefined);
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

const port = () => (server.address() as AddressInfo).port;
const { signal } = new AbortController();

it('refuses an untrusted certificate', async () => {
  const target = parseTarget(`rtmps://live.example.com:${port()}/app/secret`);
  const dialled = dial(target, ['127.0.0.1'], signal);
  await expect(dialled).rejects.toMatchObject({ code: 'target_failed' });
  await expect(dialled).rejects.toThrow(/self.signed/);
});

it('connects to the checked address by name when its certificate is trusted', async () => {
  const modules = await compileModules(directory, {
    dial: 'broadcast/dial.ts',
    target: 'broadcast/target.ts',
  });
  // Node.js reads the trusted certificates at process start.
  const script = `
    import { dial } from ${JSON.stringify(modules.dial)};
    import { parseTarget } from ${JSON.stringify(modules.target)};
    const name = process.argv[1];
    const target = parseTarget('rtmps://' + name + ':${port()}/app/secret');
    try {
      const socket = await dial(target, ['127.0.0.1'], new AbortController().signal);
      for await (const chunk of socket) console.log(chunk.toString());
    } catch (error) { console.log(error.message); }`;
  const run = async (name: string) => {
    const args = ['--input-type=module', '-e', script, name];
    const env = { NODE_EXTRA_CA_CERTS: cert };
    return (await execa(process.execPath, args, { env, reject: false })).stdout;
  };
  await expect(run('live.example.com')).resolves.toBe('live.example.com');
  await expect(run('other.example.com')).resolves.toMatch(/other\.example\.com.*altnames/i);
});

it('tries every address and reports the last error', async () => {
  const target = parseTarget(`rtmp://live.example.com:${port()}/app/secret`);
  // The server listens on the second one alone.
  const socket = await dial(target, ['127.0.0.2', '127.0.0.1'], signal);
  expect(socket.destroyed).toBe(false);
  socket.destroy();
  await expect(dial(target, ['127.0.0.2'], signal)).rejects.toThrow('nothing listens there');
  const aborted = AbortSignal.abort(new Error('left'));
  await expect(dial(target, ['127.0.0.1'], aborted)).rejects.toThrow('left');
});
