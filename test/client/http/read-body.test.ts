import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bounded, readText } from '../../../src/client/http/read-body.js';
import { VirtualComputers } from '../../../src/client/index.js';
import { promise } from '../../support/run/promise.js';

let sent = 0;
/** Refuses everything with a body without end, WebSockets too. */
const server = createServer((_, response) => flood(response));
server.on('upgrade', (_, socket) => {
  socket.on('error', () => undefined);
  socket.write('HTTP/1.1 400 Bad Request\r\ntransfer-encoding: chunked\r\n\r\n');
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  const more = () => {
    sent += 65_536;
    if (!socket.destroyed && sent < MOST) socket.write(chunk, more);
  };
  more();
});
const MOST = 2 ** 28;

function flood(response: ServerResponse): void {
  response.writeHead(400, { 'content-type': 'application/json', 'x-api-version': '1' });
  const more = () => {
    sent += 65_536;
    if (!response.destroyed && sent < MOST) response.write('x'.repeat(65_536), more);
  };
  more();
}

let vc: VirtualComputers;
beforeEach(async () => {
  sent = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  vc = new VirtualComputers({ baseUrl: `http://127.0.0.1:${port}/api`, apiKey: 'vc_key' });
});
afterEach(async () => {
  await vc.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

promise(29, 'the client reads 64 KiB of an error and no more', async (report) => {
  await expect(vc.projects.list()).rejects.toThrow('HTTP 400');
  const ofAnswer = sent;
  sent = 0;
  const process = vc.computer({ id: 'cmp_1' }).process({ argv: ['true'] });
  await expect(process).rejects.toThrow('HTTP 400');
  const most = Math.max(ofAnswer, sent) / 2 ** 20;
  expect(most).toBeLessThan(32);
  report(`of an error without end at most ${most.toFixed(1)} MiB sent`);
});

it('reads an answer up to its limit, and no more of one without end', async () => {
  let chunks = 0;
  let isEnded = false;
  async function* endless(count = Number.POSITIVE_INFINITY) {
    try {
      for (; chunks < count; chunks++) yield Buffer.alloc(2 ** 19, 'x');
    } finally {
      isEnded = true;
    }
  }
  const read = (count?: number) =>
    readText(bounded(endless(count), (text) => new Error(text), 2 ** 20));
  await expect(read()).rejects.toThrow('the answer is larger than 1 MiB');
  expect({ chunks, isEnded }).toEqual({ chunks: 2, isEnded: true });
  chunks = 0;
  expect(await read(2)).toHaveLength(2 ** 20);
});
