import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { deferred } from '../../../src/lib/async/deferred.js';
import { dropStalledReader, sendStream } from '../../../src/server/http/streaming.js';
import { ByteStream } from '../../../src/server/requests.js';

let app: FastifyInstance;
afterEach(async () => {
  vi.restoreAllMocks();
  await app.close();
});

/** Serves the stream when `ready`, and counts the timers of the stall check. */
async function serve(data: PassThrough, ready: (closed: Promise<unknown>) => Promise<unknown>) {
  const timers = new Set<unknown>();
  const { setInterval, clearInterval } = globalThis;
  vi.spyOn(globalThis, 'setInterval').mockImplementation(((work: () => void, ms: number) => {
    const timer = setInterval(work, ms);
    if (ms === 5_000) timers.add(timer);
    return timer;
  }) as typeof setInterval);
  vi.spyOn(globalThis, 'clearInterval').mockImplementation((timer) => {
    timers.delete(timer);
    clearInterval(timer);
  });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let send = () => {};
  const sent = new Promise<void>((resolve) => (send = resolve));
  app = Fastify();
  app.get('/', async (_, reply) => {
    const closed = once(reply.raw, 'close');
    arrive();
    await ready(closed);
    sendStream(reply, new ByteStream(data, 'video/mp4'));
    send();
    return reply;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const client = request({ host: '127.0.0.1', port });
  client.on('error', () => undefined);
  client.end();
  return { client, timers, arrived, sent };
}

it('releases everything for a client that disconnected before the stream was ready', async () => {
  const data = new PassThrough();
  const { client, timers, arrived, sent } = await serve(data, (closed) => closed);
  await arrived;
  client.destroy();
  await sent;
  expect(data.destroyed).toBe(true);
  expect(timers.size).toBe(0);
});

it('releases everything for a client that disconnects during the stream', async () => {
  const data = new PassThrough();
  const { client, timers, sent } = await serve(data, async () => undefined);
  data.write('first');
  const [response] = await once(client, 'response');
  await sent;
  expect(timers.size).toBe(1);
  const ended = once(data, 'close');
  response.on('error', () => undefined);
  response.destroy();
  await ended;
  expect(timers.size).toBe(0);
});

it('releases everything for an answer that waits for another one when the client disconnects', async () => {
  app = Fastify();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const answers: ServerResponse[] = [];
  const both = deferred<void>();
  const server = createServer((_, response) => {
    answers.push(response);
    dropStalledReader(response);
    if (answers.length === 2) both.resolve();
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const before = vi.getTimerCount();
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
  await both.promise;
  const [first] = answers;
  const closed = once(first as ServerResponse, 'close');
  client.destroy();
  await closed;
  vi.advanceTimersByTime(5_000);
  expect(vi.getTimerCount()).toBe(before);
});
