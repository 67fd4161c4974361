import Fastify from 'fastify';
import { expect, it } from 'vitest';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { AnswerMemory } from '../../../src/server/limits/answer-memory.js';
import { fullKey } from '../../support/accounts/key-in-use.js';

it('sends the bytes of a picture without a copy of them', async () => {
  const memory = new AnswerMemory(fullKey);
  const picture = Buffer.alloc(100_000, 1);
  const call = { signal: new AbortController().signal };
  const owner = { id: 'usr_a', keyId: 'key_a' } as Owner;
  const app = Fastify();
  let sent: unknown;
  app.addHook('onSend', async (_request, _reply, payload) => {
    sent = payload;
    return payload;
  });
  app.get('/', (request, reply) => memory.send(owner, request, reply, { value: picture, call }));
  const { rawPayload } = await app.inject('/');
  expect(rawPayload.equals(picture)).toBe(true);
  expect(sent).toBe(picture);
  await app.close();
});
