import { type Readable, Transform, type Writable } from 'node:stream';
import {
  INVALID_REQUEST,
  PARSE_ERROR,
  parseJSONRPCMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
} from '@modelcontextprotocol/server';
import { beyond } from '../lib/json/bounds.js';

const NEWLINE = 10;
/** What the SDK reads of a line. */
const MOST_BYTES = STDIO_DEFAULT_MAX_BUFFER_SIZE;
const TOO_LONG: Problem = {
  code: INVALID_REQUEST,
  message: `Invalid request: a message has at most ${MOST_BYTES} bytes.`,
  id: null,
};

/**
 * The messages of a client on stdin, a line each. The SDK ignores a line that is no message; such a
 * line is left out here and answered on stdout with the error that JSON-RPC has for it, so that no
 * client waits for an answer.
 */
export function checkedMessages(stdin: Readable, stdout: Writable): Readable {
  let pieces: Buffer[] = [];
  let length = 0;
  const refuse = ({ id, code, message }: Problem) =>
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  const take = (piece: Buffer) => {
    const before = length;
    length += piece.length;
    if (length <= MOST_BYTES) pieces.push(piece);
    else if (before <= MOST_BYTES) {
      pieces = [];
      refuse(TOO_LONG);
    }
  };
  const messages = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let from = 0; from < chunk.length; ) {
        const end = chunk.indexOf(NEWLINE, from) + 1 || chunk.length;
        take(chunk.subarray(from, end));
        from = end;
        if (chunk[end - 1] !== NEWLINE) break;
        const line = Buffer.concat(pieces);
        pieces = [];
        length = 0;
        const problem = problemOf(line.toString());
        if (problem === undefined) this.push(line);
        else refuse(problem);
      }
      done();
    },
  });
  stdin.once('close', () => messages.end());
  return stdin.pipe(messages);
}

interface Problem {
  readonly code: number;
  readonly message: string;
  readonly id: string | number | null;
}

/** What is wrong with a line; undefined for a message and for an empty line. */
export function problemOf(line: string): Problem | undefined {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { code: PARSE_ERROR, message: 'Parse error: the line is not valid JSON.', id: null };
  }
  const excess = excessOf(value);
  if (excess !== undefined) return { code: INVALID_REQUEST, message: excess, id: idOf(value) };
  try {
    parseJSONRPCMessage(value);
    return undefined;
  } catch {
    const message = 'Invalid request: this is not a JSON-RPC 2.0 message.';
    return { code: INVALID_REQUEST, message, id: idOf(value) };
  }
}

function idOf(value: unknown): string | number | null {
  const { id } = (value ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null;
}

/**
 * What a message may hold: 99 actions have about 2,000 values. The SDK's checks of longer lists take
 * memory and time that grow with them, and answer a line for each item.
 */
export const BOUNDS = { levels: 64, values: 5_000, fields: 1_000 };

/** Why a message is refused before it is checked; undefined if it is not. */
export function excessOf(message: unknown): string | undefined {
  // Earlier revisions allowed several; each could have a large answer.
  if (Array.isArray(message)) return 'Invalid request: send each message by itself.';
  const excess = beyond(message, BOUNDS);
  if (excess === undefined) return undefined;
  return `Invalid request: a message has at most ${BOUNDS[excess]} ${excess}.`;
}
