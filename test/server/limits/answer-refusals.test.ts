import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { AnswerMemory } from '../../../src/server/limits/answer-memory.js';
import { fullKey } from '../../support/accounts/key-in-use.js';

const value = { text: 'x'.repeat(20_000) };

function send(memory: AnswerMemory, method: string) {
  const raw = new EventEmitter();
  const reply = { raw, header: () => reply, send: () => reply };
  const request = { method, headers: {}, raw: new EventEmitter() } as unknown as FastifyRequest;
  // A request that waits ends at once.
  const call = { signal: AbortSignal.abort(new Error('it waited')) };
  const answer = { value, call };
  return memory.send(
    { id: 'owner', keyId: 'key' },
    request,
    reply as unknown as FastifyReply,
    answer,
  );
}

it.each(['GET', 'HEAD'])(
  'refuses a %s while its owner has not read other answers',
  async (method) => {
    const memory = new AnswerMemory(fullKey, { ownerBytes: 30_000, bytes: 30_000 });
    await send(memory, 'GET');
    await expect(send(memory, method)).rejects.toMatchObject({ code: 'rate_limited' });
  },
);
