import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { SocketBudget } from '../../../src/server/websocket/socket-budget.js';
import { fullKey, fullKeyOf, limitedKeyOf } from '../../support/accounts/key-in-use.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

const MIB = 2 ** 20;
const of = (owner: string, key = `${owner}-key`) => ({ id: owner, keyId: key });

let app: TestApp;
let path: string;
beforeEach(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  path = `/api/computers/${json.id}/process`;
});
afterEach(() => app.close());

interface Opened {
  readonly socket: WebSocket;
  /** The HTTP status of a refused upgrade. */
  readonly refusal: Promise<number | undefined>;
  readonly messages: string[];
}

function open(): Opened {
  const headers = { authorization: `Bearer ${app.world.key}` };
  const options = { headers, perMessageDeflate: false };
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}${path}`, options);
  const messages: string[] = [];
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer) => messages.push(data.toString()));
  const refusal = new Promise<number | undefined>((resolve) => {
    socket.once('open', () => resolve(undefined));
    socket.once('unexpected-response', (_, response) => resolve(response.statusCode));
  });
  return { socket, refusal, messages };
}

/** A frame of `length` bytes, cut off after `sent`. */
function cutFrame(length: number, sent: number): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(sent, 0x20)]);
}

/** Sends bytes below the WebSocket. */
function pour(socket: WebSocket, bytes: Buffer): void {
  (socket as unknown as { _socket: { write(data: Buffer): void } })._socket.write(bytes);
}

promise(
  29,
  "the memory of one owner's messages is bounded",
  async (report) => {
    const all = Array.from({ length: 40 }, open);
    await Promise.all(all.map(({ refusal }) => refusal));
    const before = process.memoryUsage().arrayBuffers;
    for (const { socket } of all) pour(socket, cutFrame(8 * MIB, 7 * MIB));
    const refused = new Set<WebSocket>();
    for (const { socket } of all) socket.once('close', () => refused.add(socket));
    await eventually(async () => refused.size >= 30);
    expect(all.length - refused.size).toBeLessThanOrEqual(10);
    const messages = all.filter(({ socket }) => refused.has(socket)).map((one) => one.messages);
    expect(messages.filter(([text]) => text?.includes('rate_limited')).length).toBeGreaterThan(0);
    const growth = Math.round((process.memoryUsage().arrayBuffers - before) / MIB);
    report(`of 40 messages of 8 MiB ${all.length - refused.size} held, +${growth} MiB`);
    for (const { socket } of all) socket.terminate();
  },
  30_000,
);

const tick = () => new Promise((resolve) => setTimeout(resolve, 100));

it('a message to a running process is limited to 256 KiB', async () => {
  const { openShell } = app.world.connectors;
  const running = {
    ...{ stdin: new PassThrough().resume(), stdout: new PassThrough(), stderr: new PassThrough() },
    ...{ exit: new Promise(() => undefined), resize: () => undefined, kill: async () => undefined },
  };
  const spawn = async () => running;
  Object.assign(app.world.connectors, {
    openShell: async (...given: Parameters<typeof openShell>) =>
      Object.assign(await openShell(...given), { spawn }),
  });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'b' } });
  path = `/api/computers/${json.id}/process`;
  const { socket, refusal, messages } = open();
  expect(await refusal).toBeUndefined();
  socket.send(JSON.stringify({ argv: ['cat', 'x'.repeat(131_072)] }));
  socket.send(Buffer.alloc(256 * 1024));
  await tick();
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.send(Buffer.alloc(MIB));
  await once(socket, 'close');
  expect(messages.at(-1)).toContain('payload_too_large');
});

it('the number of sockets per owner is limited', async () => {
  const all = Array.from({ length: 513 }, open);
  const answers = await Promise.all(all.map(({ refusal }) => refusal));
  expect(answers.filter((status) => status === 429)).toHaveLength(1);
  const other = app.world.addOwner('other');
  const { status } = await app.send('GET', '/api/projects', { authorization: `Bearer ${other}` });
  expect(status).toBe(200);
  const [first] = all;
  first?.socket.terminate();
  await tick();
  const again = open();
  expect(await again.refusal).toBeUndefined();
  for (const { socket } of [...all, again]) socket.terminate();
}, 30_000);

it('a small message always fits, even if others use the whole budget', () => {
  const budget = new SocketBudget(fullKey, { ownerBytes: 1000, bytes: 1500, guaranteed: 10 });
  const greedy = budget.open(of('a'));
  greedy.hold(900);
  expect(() => greedy.hold(200)).toThrow('faster than they are read');
  budget.open(of('a')).hold(10);
  const other = budget.open(of('b'));
  // Less than an equal part of all.
  other.hold(600);
  expect(() => other.hold(200)).toThrow();
  greedy.close();
  greedy.close();
  other.hold(100);
});

it('closing a share twice counts once', () => {
  const budget = new SocketBudget(fullKey, { sockets: 1 });
  const first = budget.open(of('owner'));
  first.close();
  budget.open(of('owner'));
  first.close();
  expect(() => budget.open(of('owner'))).toThrow('too many open connections');
});

it('less may wait to be read per socket while much waits', () => {
  const budget = new SocketBudget(fullKey, { ownerUnsent: 10 * MIB, unsent: 15 * MIB });
  const [one, two, other] = ['a', 'a', 'b'].map((owner) => budget.open(of(owner)));
  one?.send(8 * MIB);
  expect(two?.highWater()).toBe(MIB);
  two?.send(3 * MIB);
  expect([two, other].map((share) => share?.highWater())).toEqual([32 * 1024, MIB]);
  other?.send(5 * MIB);
  expect(other?.highWater()).toBe(32 * 1024);
  one?.close();
  expect([two, other].map((share) => share?.highWater())).toEqual([MIB, MIB]);
});

it('limited keys leave connections and memory to the others of their owner', () => {
  const keyOf = ({ id, keyId }: Owner) =>
    keyId === 'full' ? fullKeyOf(id) : limitedKeyOf(id, keyId);
  const budget = new SocketBudget(keyOf, { sockets: 8, walls: 4 });
  for (let i = 0; i < 2; i++) budget.open(of('a', 'look'), 'wall');
  expect(() => budget.open(of('a', 'look'), 'wall')).toThrow(
    'too many open connections to /wall; the limit is 4, of which this API key can have 2.',
  );
  for (let i = 0; i < 2; i++) budget.open(of('a', 'look'));
  expect(() => budget.open(of('a', 'look'))).toThrow('the limit is 8, of which this API key can');
  for (let i = 0; i < 2; i++) budget.open(of('a', 'act'));
  expect(() => budget.open(of('a', 'act'))).toThrow('too many open connections');
  for (let i = 0; i < 2; i++) budget.open(of('a', 'full'), 'wall');
  expect(() => budget.open(of('a', 'full'))).toThrow('the limit is 8.');
  const memory = new SocketBudget(keyOf, { ownerBytes: 1000, guaranteed: 10 });
  const look = memory.open(of('a', 'look'));
  look.hold(500);
  expect(() => look.hold(1)).toThrow('faster than they are read');
  memory.open(of('a', 'full')).hold(400);
});
