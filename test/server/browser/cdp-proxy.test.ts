import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { proxyCdp } from '../../../src/server/browser/cdp-proxy.js';

it('a client gets all bytes and a frame that closes, when the browser ends only its own side', async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [client] = (await accepted) as [Socket];
  const read = buffer(far);
  const browser = new PassThrough({ allowHalfOpen: true });
  // What the browser sends; nothing that the client sends comes back.
  browser.write = () => true;
  browser.push('last message');
  browser.push(null);
  await proxyCdp(client, browser, new AbortController().signal);
  const bytes = await read;
  expect(bytes.subarray(0, 12).toString()).toBe('last message');
  expect(bytes.readUInt16BE(14)).toBe(1001);
  expect(bytes.subarray(16).toString()).toBe('The browser has ended.');
  server.close();
});
