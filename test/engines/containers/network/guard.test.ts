import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ExecStream } from '../../../../src/engines/containers/machine/exec-stream.js';
import { Guard } from '../../../../src/engines/containers/network/guard.js';

/** The Engine's side of the connection is not needed: only the end of the connection is. */
const openSocket = () => new PassThrough() as unknown as Socket;

it('a reset connection to the guard is an error of the check, not of the process', async () => {
  const uncaught: Error[] = [];
  const catchIt = (error: Error) => uncaught.push(error);
  process.on('uncaughtException', catchIt);
  try {
    const socket = openSocket();
    const guard = new Guard(new ExecStream(socket));
    const check = guard.check();
    socket.destroy(new Error('read ECONNRESET'));
    await expect(check).rejects.toThrow('does not answer');
    await expect(guard.check()).rejects.toThrow('does not answer');
    await new Promise((resolve) => setImmediate(resolve));
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', catchIt);
  }
});
