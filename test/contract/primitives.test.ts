import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Bash, SetClipboard, Type } from '../../src/contract/actions/actions.js';
import { ComputerUse } from '../../src/contract/actions/computer-use.js';
import { text } from '../../src/contract/primitives.js';
import { SetSecret } from '../../src/contract/resources/secrets.js';
import { ViewCommand } from '../../src/contract/sockets/view.js';
import { CreateConnection } from '../../src/contract/streams.js';

const EMOJI = '👍';

describe('a text', () => {
  it('is bounded in UTF-16 units, with one message', () => {
    const schema = text(10);
    expect(schema.safeParse(EMOJI.repeat(5)).success).toBe(true);
    for (const long of [EMOJI.repeat(6), 'a'.repeat(11)]) {
      const messages = schema.safeParse(long).error?.issues.map(({ message }) => message);
      expect(messages).toEqual(['must be at most 10 characters']);
    }
    expect(schema.safeParse('\ud800').success).toBe(false);
  });

  it('has its maximum in JSON Schema', () => {
    expect(z.toJSONSchema(text(10))).toMatchObject({ type: 'string', maxLength: 10 });
  });
});

it.each<[string, z.ZodType, number, (value: string) => unknown]>([
  ['a text to type', Type, 100_000, (value) => ({ text: value })],
  ['the clipboard', SetClipboard, 250_000, (value) => ({ text: value })],
  ['a secret', SetSecret, 10_000, (value) => ({ value })],
  ['a command', Bash, 1_000_000, (command) => ({ command })],
  ['a variable', Bash, 32_768, (A) => ({ command: 'ls', env: { A } })],
  ['an item of a model', ComputerUse, 200_000, (item) => ({ items: [item] })],
  [
    'the clipboard of a view',
    ViewCommand,
    262_144,
    (value) => ({ type: 'clipboard', text: value }),
  ],
  ['a stream key', CreateConnection, 1024, (stream_key) => ({ name: 'a', url: 'u', stream_key })],
  ['a stream URL', CreateConnection, 2048, (url) => ({ name: 'a', url })],
])('%s is bounded in UTF-16 units', (_, schema, most, of) => {
  expect(schema.safeParse(of(EMOJI.repeat(most / 2))).success).toBe(true);
  expect(schema.safeParse(of(`${EMOJI.repeat(most / 2)}a`)).success).toBe(false);
});
