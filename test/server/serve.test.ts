// @module-tag slow
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openStore } from '../../src/fleet/store/index.js';
import { type ServeOptions, serve } from '../../src/server/serve.js';
import { itUnless } from '../support/run/needs.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-serve-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function options(): Promise<ServeOptions> {
  return {
    engine: 'qemu',
    stateDirectory: directory,
    engineOptions: {},
    allowNetworks: [],
    internet: false,
    listen: { host: '127.0.0.1', port: await freePort() },
    maxRunning: 1,
    allowPrivateTargets: false,
    metrics: false,
    allowedHosts: [],
    allowedOrigins: [],
    logLevel: 'silent',
    publishFirstKey: async () => undefined,
  };
}

/** Succeeds only if no process holds the state's lock. */
const isFree = () => openStore(directory).close();

it('releases the state when no engine can be opened', async () => {
  writeFileSync(join(directory, 'machines'), 'not a directory');
  await expect(serve({ ...(await options()), engine: 'docker' })).rejects.toThrow(/EEXIST|ENOTDIR/);
  isFree();
});

it('releases state and port when the first key cannot be published', async () => {
  const failing = await options();
  const publishFirstKey = () => Promise.reject(new Error('no space left'));
  await expect(serve({ ...failing, publishFirstKey })).rejects.toThrow('no space left');
  const { host, port } = failing.listen;
  await expect(fetch(`http://${host}:${port}/api/health`)).rejects.toThrow();
  isFree();
});

it('says that the engine of new computers cannot be used, and serves', async () => {
  vi.stubEnv('DOCKER_HOST', 'unix:///nonexistent/docker.sock');
  const service = await serve({ ...(await options()), engine: 'docker' });
  await service.close();
  vi.unstubAllEnvs();
  expect(service.engineProblem).toMatch(/^the engine docker cannot be used: .*; to fix it: /);
});

const noQemu = existsSync('/usr/bin/qemu-system-x86_64') ? undefined : 'QEMU is not installed';
itUnless(noQemu)('does not warn of an engine that new computers do not get', async () => {
  vi.stubEnv('DOCKER_HOST', 'unix:///nonexistent/docker.sock');
  const service = await serve({ ...(await options()), engine: 'auto' });
  await service.close();
  vi.unstubAllEnvs();
  expect(service.engineProblem).toBeUndefined();
});

it('releases the state when the port is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const listen = { host: '127.0.0.1', port };
  await expect(serve({ ...(await options()), listen })).rejects.toThrow('the port is in use');
  server.close();
  isFree();
});

/** Whether something listens there. */
async function accepts(host: string, port: number): Promise<boolean> {
  const socket = new Socket();
  const accepted = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.connect({ host, port });
  });
  socket.destroy();
  return accepted;
}

it.each(['127.0.0.1', 'localhost', '0.0.0.0', '127.0.0.2'])(
  'a service on %s listens there, and stops',
  async (host) => {
    const given = await options();
    const { port } = given.listen;
    const service = await serve({ ...given, listen: { host, port } });
    const at = host === '127.0.0.2' ? host : '127.0.0.1';
    expect(service.url).toBe(`http://${at}:${port}/api`);
    expect(await accepts(at, port)).toBe(true);
    await service.close();
    expect(await accepts(at, port)).toBe(false);
  },
);
