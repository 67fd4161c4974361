import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { checkedMessages } from '../../src/mcp/checked-messages.js';

/** What passes on of some pieces of input, and the answers to the rest. */
async function read(...pieces: (string | Buffer)[]) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const passed = text(checkedMessages(stdin, stdout));
  const answered = text(stdout);
  for (const piece of pieces) if (!stdin.write(piece)) await once(stdin, 'drain');
  stdin.end();
  const messages = await passed;
  stdout.end();
  const answers = (await answered).split('\n').filter((line) => line !== '');
  return { messages, answers: answers.map((line) => JSON.parse(line)) };
}

const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
const error = (code: number, id: unknown = null) => ({
  ...{ jsonrpc: '2.0', id },
  error: { code, message: expect.any(String) },
});

it('passes messages on, however they are cut, and empty lines', async () => {
  const given = `${LIST}\r\n\n{"jsonrpc":"2.0","method":"notifications/ä世"}\r\n`;
  expect(await read(given)).toEqual({ messages: given, answers: [] });
  const bytes = [...Buffer.from(given)].map((byte) => Buffer.from([byte]));
  expect(await read(...bytes)).toEqual({ messages: given, answers: [] });
});

it.each([
  ['{"jsonrpc": "2.0",', error(-32700)],
  ['x', error(-32700)],
  ['null', error(-32600)],
  ['5', error(-32600)],
  ['[]', error(-32600)],
  ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', error(-32600)],
  ['{}', error(-32600)],
  ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', error(-32600, 1)],
  ['{"jsonrpc":"2.0","id":"a","method":"tools/list","params":5}', error(-32600, 'a')],
  ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', error(-32600)],
])('answers %s with the error of the protocol, and goes on', async (line, answer) => {
  expect(await read(`${line}\n${LIST}`)).toEqual({ messages: LIST, answers: [answer] });
});

it('refuses a line that is too long once, without keeping it', async () => {
  const piece = Buffer.alloc(1024 * 1024, 0x20);
  const count = STDIO_DEFAULT_MAX_BUFFER_SIZE / piece.length + 5;
  const { messages, answers } = await read(...Array(count).fill(piece), '5\n', LIST);
  expect(messages).toBe(LIST);
  expect(answers).toEqual([error(-32600)]);
});
