import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { keyOfProtocols, keyProtocol } from '../../../src/contract/sockets/protocols.js';
import { openTestApp, type TestApp } from '../../support/app.js';

const PAGE = 'https://app.example.com';
let app: TestApp;
let id: unknown;
beforeAll(async () => {
  app = await openTestApp({ origins: [PAGE] });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const made = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  id = made.json.id;
});
afterAll(() => app.close());

/** Opens a socket as a page does; resolves to its subprotocol, or the status of a refusal. */
async function open(protocols: readonly string[], headers: Record<string, string> = {}) {
  const url = `ws://127.0.0.1:${app.port}/api/computers/${id}/process`;
  const socket = new WebSocket(url, [...protocols], { headers: { origin: PAGE, ...headers } });
  socket.on('error', () => undefined);
  const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode);
  const opened = once(socket, 'open').then(() => socket.protocol);
  try {
    return await Promise.race([opened, refused]);
  } finally {
    socket.terminate();
  }
}

it('a page opens a socket with its key as a subprotocol, which is not chosen', async () => {
  const key = keyProtocol(app.world.key);
  expect(await open(['vc', key])).toBe('vc');
  expect(await open([key, 'vc'])).toBe('vc');
});

it('a wrong key, none, two, one of another page or in another request is refused', async () => {
  const key = keyProtocol(app.world.key);
  expect(await open(['vc', keyProtocol('vc_wrong')])).toBe(401);
  expect(await open(['vc'])).toBe(401);
  expect(await open(['vc', key, keyProtocol('vc_other')])).toBe(401);
  expect(await open(['vc', key], { authorization: 'Bearer vc_wrong' })).toBe(401);
  expect(await open(['vc', key], { origin: 'https://evil.example.com' })).toBe(400);
  const headers = { 'sec-websocket-protocol': `vc, ${key}` };
  const plain = await app.send('GET', '/api/projects', { headers, authorization: null });
  expect(plain.status).toBe(401);
});

it('keys of any printable ASCII and length survive; anything else is no key', () => {
  const printable = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');
  for (const key of ['k', 'kk', 'kkk', printable, 'k'.repeat(256)]) {
    expect(keyProtocol(key)).toMatch(/^[\w.-]+$/);
    expect(keyOfProtocols(`vc, ${keyProtocol(key)}`)).toBe(key);
  }
  for (const header of ['', 'vc', 'vc.key.', 'vc.key.!', `vc.key.${btoa('a b')}`, 'vc.key.A']) {
    expect(keyOfProtocols(header)).toBeUndefined();
  }
  expect(keyOfProtocols(keyProtocol('k'.repeat(257)))).toBeUndefined();
});
