// @module-tag slow
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Client } from '../../../src/client/client.js';
import { ServiceError, ServiceUnreachableError } from '../../../src/client/errors.js';
import { parseEvents, ServiceEvents } from '../../../src/client/events/events.js';

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let client: Client;
let replies: Reply[];
let requests: { url: string | undefined; lastEventId: unknown }[];
beforeEach(async () => {
  replies = [];
  requests = [];
  server = createServer((request, response) => {
    response.setHeader('x-api-version', '1');
    requests.push({ url: request.url, lastEventId: request.headers['last-event-id'] });
    const reply = replies.shift();
    if (reply) reply(response, request);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new Client({ baseUrl: `http://127.0.0.1:${port}/api`, maxRetries: 0 });
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const event = (id: number) => `event: x\nid: e-${id}\ndata: {"type":"x","n":${id}}\n\n`;

/** Reads until `count` events have come. */
async function take(events: ServiceEvents, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  for await (const one of events) {
    taken.push((one as unknown as { n: number }).n);
    if (taken.length === count) break;
  }
  return taken;
}

it('continues after the last event when the connection ends, is cut or is refused', async () => {
  replies = [
    (response) =>
      response.write(`retry: 1\nid: e-0\n\n${event(1)}${event(2)}`, () => response.end()),
    (response) => response.write(`${event(3)}id: e-9\ndata: {"ty`, () => response.destroy()),
    (response) =>
      response.writeHead(503, { 'x-error-code': 'engine_unavailable' }).end('{"error":"x"}'),
    (response) => response.writeHead(502).end('<html>'),
    (response) => response.write(event(4)),
  ];
  const events = new ServiceEvents(client, { project: 'p', types: ['action', 'job.exited'] });
  expect(await take(events, 4)).toEqual([1, 2, 3, 4]);
  expect(requests.map(({ lastEventId }) => lastEventId)).toEqual([
    ...[undefined, 'e-2', 'e-3', 'e-3', 'e-3'],
  ]);
  expect(requests[0]?.url).toBe('/api/events?project=p&types=action%2Cjob.exited');
  expect(events.lastEventId).toBe('e-4');
});

it('starts after the given event', async () => {
  replies = [(response) => response.write(event(8))];
  expect(await take(new ServiceEvents(client, { lastEventId: 'e-7' }), 1)).toEqual([8]);
  expect(requests[0]?.lastEventId).toBe('e-7');
});

it('closes the connection when the loop is left', async () => {
  const closed = new Promise((resolve) => {
    replies = [
      (response) => {
        response.once('close', resolve);
        response.write(event(1));
      },
    ];
  });
  await take(new ServiceEvents(client), 1);
  await closed;
});

it('rejects with the reason of its signal, while it reads and while it waits', async () => {
  for (const reply of [
    (response) => response.write(event(1)),
    (response) => response.end(event(1)),
  ] as Reply[]) {
    const controller = new AbortController();
    replies = [reply];
    const events = new ServiceEvents(client, { signal: controller.signal });
    const reading = (async () => {
      for await (const _ of events) setTimeout(() => controller.abort(new Error('enough')), 20);
    })();
    await expect(reading).rejects.toThrow('enough');
  }
});

it('throws what is no loss of the connection, at once and later', async () => {
  const refuse: Reply = (response) =>
    response
      .writeHead(401, { 'x-error-code': 'unauthorized' })
      .end('{"error":"The API key is wrong."}');
  replies = [refuse];
  await expect(take(new ServiceEvents(client), 1)).rejects.toThrow(ServiceError);
  replies = [(response) => response.end(event(1)), refuse];
  await expect(take(new ServiceEvents(client), 2)).rejects.toThrow('The API key is wrong.');
});

it('throws when the service cannot be reached the first time', async () => {
  const nowhere = new Client({ baseUrl: 'http://127.0.0.1:1/api', maxRetries: 0 });
  await expect(take(new ServiceEvents(nowhere), 1)).rejects.toThrow(ServiceUnreachableError);
});

it.each([1, 2, 3, 1000])('parses blocks that arrive in pieces of %i bytes', async (size) => {
  const text =
    ': comment\r\nid: 1\r\n\r\nevent: ä\rdata:a\rdata: b\r\rid\ndata\n\n\n\ndata: c:d\nunknown: 1\n\ndata: cut';
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const blocks = [];
  for await (const block of parseEvents(pieces())) blocks.push(block);
  expect(blocks).toEqual([
    { type: 'message', id: '1', data: undefined },
    { type: 'ä', id: undefined, data: 'a\nb' },
    { type: 'message', id: '', data: '' },
    { type: 'message', id: undefined, data: 'c:d' },
  ]);
});

it('refuses a line without end', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(64 * 1024, 'x');
  }
  await expect(parseEvents(endless()).next()).rejects.toThrow('too long');
});

it('refuses an event without end', async () => {
  async function* lines() {
    for (let count = 0; count < 40; count++) yield Buffer.from(`data: ${'x'.repeat(100_000)}\n`);
  }
  await expect(parseEvents(lines()).next()).rejects.toThrow('too long');
});

it('open resolves when the service has answered; no event is missed until the loop begins', async () => {
  let answer: ServerResponse | undefined;
  replies = [
    (response) => {
      answer = response;
    },
    (response) => response.write(event(3)),
  ];
  const events = new ServiceEvents(client);
  let isOpen = false;
  const opening = events.open().then((same) => {
    isOpen = true;
    expect(same).toBe(events);
  });
  await expect.poll(() => answer).toBeDefined();
  expect(isOpen).toBe(false);
  answer?.write('id: e-0\n\n');
  await opening;
  expect(events.lastEventId).toBe('e-0');
  answer?.write(`${event(1)}${event(2)}`);
  answer?.end();
  expect(await take(events, 3)).toEqual([1, 2, 3]);
  expect(requests.map(({ lastEventId }) => lastEventId)).toEqual([undefined, 'e-2']);
});

it('open within a loop repeats nothing', async () => {
  const closed: Promise<unknown>[] = [];
  const reply =
    (...ids: number[]): Reply =>
    (response) => {
      closed.push(new Promise((resolve) => response.once('close', resolve)));
      response.write(ids.map(event).join(''));
    };
  const first: Reply = (response) => response.write(`${event(1)}${event(2)}`);
  let cut: ServerResponse | undefined;
  replies = [
    (response, request) => {
      cut = response;
      first(response, request);
    },
    reply(2, 3),
    reply(3),
  ];
  const events = new ServiceEvents(client);
  const taken: unknown[] = [];
  for await (const one of events) {
    taken.push((one as unknown as { n: number }).n);
    if (taken.length === 1) await events.open();
    if (taken.length === 2) cut?.end();
    if (taken.length === 3) break;
  }
  expect(taken).toEqual([1, 2, 3]);
  expect(requests.map(({ lastEventId }) => lastEventId)).toEqual([undefined, 'e-1', 'e-2']);
  await Promise.all(closed);
});

it('close and await using end a stream that nobody reads', async () => {
  const closed: Promise<unknown>[] = [];
  const reply: Reply = (response) => {
    closed.push(new Promise((resolve) => response.once('close', resolve)));
    response.write('id: e-0\n\n');
  };
  replies = [reply, reply];
  await (await new ServiceEvents(client).open()).close();
  {
    await using _ = await new ServiceEvents(client).open();
  }
  expect(closed).toHaveLength(2);
  await Promise.all(closed);
});

it('open fails when the connection is lost before the position is known', async () => {
  replies = [
    (response) => response.end(': hello\n\n'),
    (response) => response.write(`id: e-0\n\n${event(1)}`),
  ];
  const events = new ServiceEvents(client);
  await expect(events.open()).rejects.toThrow(ServiceUnreachableError);
  expect(await take(await events.open(), 1)).toEqual([1]);
});

it('open can be tried again after it has failed', async () => {
  replies = [(response) => response.writeHead(502).end('<html>'), (r) => r.write(event(1))];
  const events = new ServiceEvents(client);
  await expect(events.open()).rejects.toThrow(ServiceUnreachableError);
  expect(await take(await events.open(), 1)).toEqual([1]);
});
