import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { openPooledClient } from '../../../src/cli/http/pooled-client.js';
import { ServiceUnreachableError } from '../../../src/client/errors.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(listener: RequestListener) {
  const server = createServer((request, response) => {
    response.setHeader('x-api-version', '1');
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/api`;
  const client = openPooledClient({ baseUrl, apiKey: 'vc_secret' });
  closing.push(() => client.close());
  return client;
}

test('requests of one client share connections', async () => {
  const ports = new Set<number | undefined>();
  const client = await open((request, response) => {
    ports.add(request.socket.remotePort);
    response.setHeader('content-type', 'application/json').end('{"projects":[]}');
  });
  for (let i = 0; i < 8; i += 1) {
    expect(await client.request('listProjects')).toEqual({ projects: [] });
  }
  expect(ports.size).toBeLessThan(4);
});

test('a streamed body is sent, and the answer read', async () => {
  const client = await open(async (request, response) => response.end(await text(request)));
  async function* parts() {
    yield Buffer.from('first ');
    yield Buffer.from('second');
  }
  const { body } = await client.exchange({ method: 'PUT', path: '/x', query: {}, body: parts() });
  expect(await text(body)).toBe('first second');
});

test('a closed connection is an unreachable service', async () => {
  const client = await open((request) => request.socket.destroy());
  await expect(client.request('listProjects')).rejects.toThrow(ServiceUnreachableError);
});
