// @module-tag slow
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type AmfValue, decodeAmf, encodeAmf } from '../../src/broadcast/rtmp/amf.js';
import { ChunkReader } from '../../src/broadcast/rtmp/chunk-reader.js';
import { type Message, writeMessage } from '../../src/broadcast/rtmp/chunks.js';
import { Heartbeat } from '../../src/broadcast/rtmp/heartbeat.js';
import { Publisher } from '../../src/broadcast/rtmp/publisher.js';
import { parseTarget } from '../../src/broadcast/target.js';

const target = parseTarget('rtmp://127.0.0.1/app', 'secret-key');
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = (socket: Socket, command: string, values: AmfValue[]) => void;

/** An RTMP server that records messages and answers commands as configured. */
async function serve(answer: Answer) {
  const got: Message[] = [];
  const server = createServer((socket) => {
    closing.push(() => socket.destroy());
    socket.on('error', () => undefined);
    const reader = new ChunkReader();
    let skipped = 0;
    socket.on('data', (bytes) => {
      if (skipped === 0) socket.write(Buffer.concat([Buffer.of(3), Buffer.alloc(2 * 1536)]));
      const rest = bytes.subarray(Math.max(0, Math.min(bytes.length, 1 + 2 * 1536 - skipped)));
      skipped += bytes.length;
      for (const message of reader.push(rest)) {
        got.push(message);
        if (message.type !== 20) continue;
        const [command, ...values] = decodeAmf(message.data);
        answer(socket, String(command), values);
      }
    });
  }).listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return { got, publisher: Publisher.open(socket, target) };
}

function say(socket: Socket, ...values: AmfValue[]): void {
  const data = encodeAmf(...values);
  socket.write(writeMessage({ type: 20, stream: 0, timestamp: 0, data }, 3, 128));
}

const willing: Answer = (socket, command, [transaction = 0]) => {
  if (command === 'connect') say(socket, '_result', transaction, {}, { level: 'status' });
  if (command === 'releaseStream') say(socket, '_error', transaction, null, { level: 'error' });
  if (command === 'createStream') say(socket, '_result', transaction, null, 1);
  if (command === 'publish') say(socket, 'onStatus', 0, null, { level: 'status', code: 'Start' });
};

it('sends the application and the stream separately', async () => {
  const { got, publisher } = await serve(willing);
  const open = await publisher;
  closing.push(() => open.close());
  const commands = got.filter(({ type }) => type === 20).map(({ data }) => decodeAmf(data));
  const connect = commands.find(([name]) => name === 'connect');
  expect(connect?.[2]).toMatchObject({ app: 'app', tcUrl: 'rtmp://127.0.0.1:1935/app' });
  expect(commands.find(([name]) => name === 'publish')?.slice(2)).toEqual([
    null,
    'secret-key',
    'live',
  ]);

  open.send({ kind: 'video', timestamp: 0x1000001, data: Buffer.alloc(10_000, 7) });
  open.send({ kind: 'script', timestamp: 0, data: encodeAmf('onMetaData', { width: 2 }) });
  await expect.poll(() => got.at(-1)?.type).toBe(18);
  expect(got.at(-2)).toEqual({
    type: 9,
    stream: 1,
    timestamp: 0x1000001,
    data: Buffer.alloc(10_000, 7),
  });
  expect(decodeAmf(got.at(-1)?.data ?? Buffer.alloc(0))[0]).toBe('@setDataFrame');
});

it("rejects with the server's reason, without the key in it", async () => {
  const { publisher } = await serve((socket, command, values) => {
    const info = {
      level: 'error',
      code: 'NetStream.Publish.BadName',
      description: 'secret-key\u0007 is taken',
    };
    if (command === 'publish') say(socket, 'onStatus', 0, null, info);
    else willing(socket, command, values);
  });
  const error = await publisher.catch((reason: Error) => reason);
  expect(error).toMatchObject({ code: 'target_failed' });
  expect(error).toMatchObject({ message: expect.stringMatching(/BadName: … +is taken/) });
});

it('rejects when the server refuses the application', async () => {
  const { publisher } = await serve((socket, _, [transaction = 0]) =>
    say(socket, '_error', transaction, null, { level: 'error', description: 'no app' }),
  );
  await expect(publisher).rejects.toThrow('no app');
});

it('rejects when the server closes the connection, at once or later', async () => {
  const { publisher } = await serve((socket) => socket.destroy());
  await expect(publisher).rejects.toThrow(/closed the connection|ECONNRESET/);
  let server: Socket | undefined;
  const later = await serve((socket, command, values) => {
    server = socket;
    willing(socket, command, values);
  });
  const open = await later.publisher;
  server?.destroy();
  await expect(open.failed).rejects.toMatchObject({ code: 'target_failed' });
});

it('answers pings', async () => {
  let server: Socket | undefined;
  const { got, publisher } = await serve((socket, command, values) => {
    server = socket;
    willing(socket, command, values);
  });
  const open = await publisher;
  closing.push(() => open.close());
  const data = Buffer.from([0, 6, 1, 2, 3, 4]);
  server?.write(writeMessage({ type: 4, stream: 0, timestamp: 0, data }, 2, 128));
  const answer = () => got.find((message) => message.type === 4)?.data;
  await expect.poll(answer).toEqual(Buffer.from([0, 7, 1, 2, 3, 4]));
});

it('detects a server that stops reading, and one that stops answering', () => {
  let now = 0;
  const blocked = new Heartbeat(() => now);
  const taken = blocked.sending(1);
  now = 4_000;
  expect(blocked.silence()).toBeUndefined();
  taken();
  now = 20_000;
  expect(blocked.silence()).toBeUndefined();
  blocked.sending(1);
  now = 26_000;
  expect(blocked.silence()).toContain('reading');

  now = 0;
  const silent = new Heartbeat(() => now);
  now = 60_000;
  expect(silent.silence()).toBeUndefined();
  silent.answered();
  now = 67_000;
  expect(silent.silence()).toBeUndefined();
  now = 69_000;
  expect(silent.silence()).toContain('answering');

  now = 0;
  const unheard = new Heartbeat(() => now);
  const send = () => unheard.sending(64 * 1024)();
  send();
  unheard.acknowledged();
  now = 60_000;
  expect(unheard.silence()).toBeUndefined();
  for (let i = 0; i < 5; i++) send();
  expect(unheard.silence()).toContain('acknowledging');
  unheard.acknowledged();
  expect(unheard.silence()).toBeUndefined();
});

it('a server that floods the publisher is dropped', async () => {
  const ping = writeMessage(
    { type: 4, stream: 0, timestamp: 0, data: Buffer.from([0, 7]) },
    2,
    128,
  );
  const flood = Buffer.concat(Array.from({ length: 100_000 }, () => ping));
  const { publisher } = await serve((socket) => void socket.write(flood));
  await expect(publisher).rejects.toThrow('it sent far more than any answer');
});
