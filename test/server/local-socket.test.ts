import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenLocally } from '../../src/server/local-socket.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-sockets-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** The status and body of an answer over a unix socket. */
function ask(name: string, path: string, method = 'GET'): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const options = { socketPath: join(directory, name), path, method, agent: false };
    request(options, async (response) => resolve([response.statusCode ?? 0, await text(response)]))
      .on('error', reject)
      .end();
  });
}

test('one socket is the API, and another one has what needs no key', async () => {
  const api = createServer((_, response) => response.writeHead(401).end('no key'));
  const local = await listenLocally({
    stateDirectory: directory,
    api,
    backup: () => {
      throw new Error('the disk is full');
    },
    unadopted: () => [],
    log: { info: () => {}, warn: () => {} },
  });
  for (const name of ['service.sock', 'admin.sock']) {
    expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  }
  expect(await ask('service.sock', '/unadopted')).toEqual([401, 'no key']);
  expect(await ask('service.sock', '/backup', 'POST')).toEqual([401, 'no key']);
  expect(await ask('admin.sock', '/unadopted')).toEqual([200, '[]']);
  expect(await ask('admin.sock', '/backup', 'POST')).toEqual([500, 'the disk is full']);
  expect(await ask('admin.sock', '/api/projects')).toEqual([404, '']);
  await local.close();
  expect(await readdir(directory)).toEqual([]);
});
