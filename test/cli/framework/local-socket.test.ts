import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { main } from '../../../src/cli/main.js';
import { listenUnix } from '../../../src/lib/net/unix-socket.js';

let directory: string;
let state: string;
/** A program that has taken the port of the service. */
const foreign = createServer((request, response) => {
  reached.push(`foreign ${request.headers.authorization}`);
  response.setHeader('x-api-version', '1').end('{"projects":[]}');
});
let reached: string[];
let baseUrl: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-local-'));
  // Longer than the path of a socket may be.
  state = join(directory, 'a-state-directory-'.repeat(6));
  await mkdir(state);
  reached = [];
  await once(foreign.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/api`;
  await writeFile(join(state, 'service.json'), JSON.stringify({ url: baseUrl }));
});
afterEach(async () => {
  foreign.closeAllConnections();
  await new Promise((resolve) => foreign.close(resolve));
  await rm(directory, { recursive: true });
});

async function run(argv: readonly string[], env: Record<string, string> = {}) {
  const io = {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const printed = [text(io.stdout), text(io.stderr)];
  const code = await main(argv, {
    io,
    cwd: directory,
    env: {
      VC_BASE_URL: baseUrl,
      VC_API_KEY: 'vc_0123456789abcdefghjkmnpqrstvwxyz',
      VC_STATE_DIR: state,
      VC_CONFIG_DIR: join(directory, 'config'),
      HOME: directory,
      ...env,
    },
  });
  io.stdout.end();
  io.stderr.end();
  const [stdout, stderr] = await Promise.all(printed);
  return { code, stdout, stderr };
}

/** The service of the state directory, on its socket. */
async function startService() {
  const service = createServer((request, response) => {
    reached.push(`service ${request.method} ${request.url} ${request.headers.host}`);
    response.setHeader('content-type', 'application/json').setHeader('x-api-version', '1');
    response.end(request.url?.startsWith('/api/projects/') ? 'bytes' : '{"projects":[]}');
  });
  new WebSocketServer({ server: service }).on('connection', (socket, request) => {
    reached.push(`service socket ${request.url}`);
    socket.send(Buffer.concat([Buffer.of(1), Buffer.from('printed')]));
    socket.send(JSON.stringify({ type: 'exit', code: 0, signal: null }));
    socket.close();
  });
  await listenUnix(service, join(state, 'service.sock'));
  return service;
}

test('requests, downloads and WebSockets of a local service go over its unix socket', async () => {
  const service = await startService();
  expect((await stat(join(state, 'service.sock'))).mode & 0o777).toBe(0o600);
  try {
    expect((await run(['project', 'ls'])).code).toBe(0);
    expect((await run(['api', '/projects'])).stdout).toBe('{"projects":[]}\n');
    expect((await run(['exec', 'demo/desktop', 'ls'])).stdout).toBe('printed');
    expect((await run(['cp', 'demo/desktop:a', '-'])).stdout).toBe('bytes');
    const atOther = baseUrl.replace('127.0.0.1', 'localhost');
    expect((await run(['project', 'ls'], { VC_BASE_URL: atOther })).code).toBe(0);
  } finally {
    service.closeAllConnections();
    service.close();
  }
  const { host } = new URL(baseUrl);
  expect(reached).toContain(`service GET /api/projects ${host}`);
  expect(reached).toContain('service socket /api/projects/demo/computers/desktop/process');
  expect(reached.filter((line) => line.startsWith('foreign'))).toEqual([]);
});

test('while that service is stopped, its key goes nowhere', async () => {
  for (const argv of [
    ['project', 'ls'],
    ['api', '/projects'],
    ['exec', 'demo/desktop', 'ls'],
  ]) {
    const { stderr } = await run(argv);
    expect(stderr).toBe(
      `error: cannot reach the service at ${baseUrl}: it is not running\n       start it again: vc service restart\n`,
    );
  }
  expect(reached).toEqual([]);
});

test('a profile that the service has written holds its socket, wherever its state is', async () => {
  await mkdir(join(directory, 'config'));
  const profile = { baseUrl, apiKey: 'vc_a', socket: join(state, 'service.sock') };
  const file = join(directory, 'config/config.json');
  await writeFile(file, JSON.stringify({ current: 'default', profiles: { default: profile } }));
  await chmod(file, 0o600);
  const elsewhere = { VC_BASE_URL: '', VC_API_KEY: '', VC_STATE_DIR: join(directory, 'other') };
  expect((await run(['project', 'ls'], elsewhere)).stderr).toContain('it is not running');
  expect(reached).toEqual([]);
});

test('any other address is reached over TCP', async () => {
  const other = { VC_STATE_DIR: join(directory, 'other') };
  expect((await run(['project', 'ls'], other)).code).toBe(0);
  expect(reached).toEqual(['foreign Bearer vc_0123456789abcdefghjkmnpqrstvwxyz']);
});
