import { EventEmitter } from 'node:events';
import type { SFTPWrapper } from 'ssh2';
import { expect, it } from 'vitest';
import type { Connection } from '../../../src/shell/connection.js';
import { FileSession } from '../../../src/shell/files/session.js';

const connection = { onEnd: () => () => undefined } as unknown as Connection;

/** A session whose guest has not let ssh2 send these requests. */
const openSession = (unsent: readonly Buffer[]) =>
  new FileSession(
    Object.assign(new EventEmitter(), { _buffer: unsent }) as unknown as SFTPWrapper,
    connection,
  );
const answered = (done: (error: null, value: string) => void) => done(null, 'ok');

it.each([
  ['few large requests', Array(8).fill(Buffer.alloc(255 * 1024))],
  ['many small requests', Array(200).fill(Buffer.alloc(1000))],
])('goes on while %s wait to be sent', async (_, unsent) => {
  expect(await openSession(unsent).data(answered)).toBe('ok');
});

it.each([
  ['too many bytes', Array(10).fill(Buffer.alloc(255 * 1024))],
  ['too many requests', Array(300).fill(Buffer.alloc(20))],
])('ends when the guest acknowledges requests while %s wait to be sent', async (_, unsent) => {
  const session = openSession(unsent);
  const message = expect.stringContaining('answered file requests that it had not read');
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(session.data(answered)).rejects.toMatchObject({ message, code: 'guest_failed' });
  }
});
