import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { runBatch } from '../../../src/fleet/actions/batch.js';
import { AnswerMemory } from '../../../src/server/limits/answer-memory.js';
import { fullKey } from '../../support/accounts/key-in-use.js';

const MIB = 2 ** 20;
/** A guest's output: each character takes six in JSON. */
const OUTPUT = '\u0001'.repeat(MIB / 2);
const LINK = '\u0001'.repeat(167);

const bash = {
  ...{ success: true, stdout: OUTPUT, stderr: OUTPUT, output: 'x' },
  ...{ exit_code: 0, timed_out: false, truncated: false },
};
const links = Array.from({ length: 2_500 }, (_, count) => ({ name: LINK, target: LINK, count }));
const list = { path: '/', entries: links };

afterEach(() => void vi.restoreAllMocks());

/** Sends an answer. `payload` is what was sent so far. */
function send(memory: AnswerMemory, method: string, value: unknown, signal?: AbortSignal) {
  const raw = new EventEmitter();
  const seen: { payload?: string | Buffer; raw: EventEmitter } = { raw };
  const reply = {
    raw,
    header: () => reply,
    send: (payload: string | Buffer) => {
      seen.payload = payload;
      return reply;
    },
  };
  const request = { method, headers: {}, raw: new EventEmitter() } as unknown as FastifyRequest;
  const call = { signal: signal ?? new AbortController().signal };
  const owner = { id: 'owner', keyId: 'key' };
  const done = memory.send(owner, request, reply as unknown as FastifyReply, { value, call });
  return Object.assign(seen, { done });
}

/** The turns of the event loop during a task, and the most characters of JSON made in one call. */
async function observe(task: () => Promise<unknown>) {
  const stringify = vi.spyOn(JSON, 'stringify');
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await task();
  isDone = true;
  const most = Math.max(...stringify.mock.results.map(({ value }) => String(value).length));
  stringify.mockRestore();
  return { turns, most };
}

it.each([
  ['POST', 'output', bash],
  ['GET', 'list', list],
])('makes the answer to a %s with a long %s in several turns', async (method, _, value) => {
  const answer = { payload: undefined as string | Buffer | undefined };
  const { turns, most } = await observe(async () => {
    const sending = send(new AnswerMemory(fullKey), method, value);
    await sending.done;
    answer.payload = sending.payload;
  });
  expect(most).toBeLessThan(128 * 1024);
  expect(turns).toBeGreaterThan(2);
  expect(String(answer.payload) === JSON.stringify(value)).toBe(true);
});

it('sends a short answer at once', () => {
  const value = { success: true, stdout: 'x'.repeat(10_000), exit_code: 0 };
  for (const method of ['GET', 'POST']) {
    expect(send(new AnswerMemory(fullKey), method, { name: 'x' }).payload).toBe('{"name":"x"}');
  }
  expect(send(new AnswerMemory(fullKey), 'GET', value).payload).toBe(JSON.stringify(value));
});

it.each(['GET', 'HEAD'])(
  'refuses a %s while its owner has not read other answers',
  async (method) => {
    const value = { text: 'x'.repeat(20_000) };
    const memory = new AnswerMemory(fullKey, { ownerBytes: 30_000, bytes: 30_000 });
    await send(memory, 'GET', value).done;
    const { done } = send(memory, method, value, AbortSignal.abort(new Error('it waited')));
    await expect(done).rejects.toMatchObject({ code: 'rate_limited' });
  },
);

it('ends the making of an answer to a GET when there is no room for more of it', async () => {
  const memory = new AnswerMemory(fullKey, { ownerBytes: 2 * MIB, bytes: 2 * MIB });
  const unread = send(memory, 'GET', { text: 'x'.repeat(MIB) });
  await unread.done;
  const stringify = vi.spyOn(JSON, 'stringify');
  await expect(send(memory, 'GET', list).done).rejects.toMatchObject({ code: 'rate_limited' });
  const made = stringify.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
  expect(made).toBeLessThan(2 * MIB);
  unread.raw.emit('close');
  // Alone, it may have more than the limit.
  const alone = send(memory, 'GET', list);
  await alone.done;
  expect(alone.payload?.length).toBeGreaterThan(4 * MIB);
  await expect(send(memory, 'GET', list).done).rejects.toMatchObject({ code: 'rate_limited' });
  alone.raw.emit('close');
  await send(memory, 'GET', list).done;
});

it('stops when the client leaves', async () => {
  const leaving = new AbortController();
  const memory = new AnswerMemory(fullKey, { ownerBytes: MIB, bytes: MIB });
  const { done } = send(memory, 'POST', bash, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(done).rejects.toThrow('gone');
  // Its memory is free again.
  await send(memory, 'GET', { text: 'x'.repeat(MIB - 100) }).done;
});

it("counts a batch's output without making its JSON", async () => {
  const { most } = await observe(() =>
    runBatch([{ action: 'bash', command: 'x', timeout: 1, background: false }], async () => bash),
  );
  expect(most).toBeLessThan(1024);
});
