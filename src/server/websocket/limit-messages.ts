import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';
import type { SocketShare } from './socket-budget.js';

/** Largest message once a process or tunnel is open, in bytes. */
export const MESSAGE_LIMIT = 256 * 1024;
/** Bytes of later messages that may come in one read with the end of an earlier one. */
const ONE_READ = 64 * 1024;
/** What a read or message takes in memory besides its bytes. */
export const OVERHEAD = 256;
/** A masked control frame's header. */
const CONTROL_HEADER = 6;

interface Limits {
  /** Largest first message, in bytes; it stays counted until the socket closes. */
  readonly first: number;
  /** Largest message after the first. */
  readonly later: number;
}

/**
 * Counts the bytes of a message while it arrives, as part of its owner's budget. Calls `refuse`
 * once when a message is too large or the budget is exceeded; the caller closes the socket.
 * Returns a function that counts bytes which wait in memory after that.
 */
export function limitMessages(
  socket: WebSocket,
  wire: Socket,
  share: SocketShare,
  limits: Limits,
  refuse: (error: unknown) => void,
): (bytes: number) => void {
  let partial = 0;
  let reads = 0;
  let limit = limits.first;
  /** A message ended within the current read: the rest of the read is not counted. */
  let hasEnded = false;
  let isRefused = false;
  const guarded = (count: () => void) => {
    try {
      count();
    } catch (error) {
      if (!isRefused) refuse(error);
      isRefused = true;
    }
  };
  const count = (bytes: number, pieces: number) =>
    guarded(() => {
      partial += bytes;
      reads += pieces;
      share.hold(bytes + pieces * OVERHEAD);
      if (partial > limit + ONE_READ) throw tooLarge(limit);
    });
  // The socket's own listener has run before, so these bytes are not a complete message yet.
  const onData = (chunk: Buffer) => {
    if (!hasEnded) count(chunk.length, 1);
    hasEnded = false;
  };
  const onControl = (data: Buffer) => {
    const bytes = Math.min(partial, data.length + CONTROL_HEADER);
    count(-bytes, partial === bytes ? -reads : 0);
  };
  wire.on('data', onData);
  socket.on('message', (data: Buffer) => {
    count(-partial, -reads);
    hasEnded = true;
    if (limit === limits.later) return;
    limit = limits.later;
    guarded(() => share.hold(data.length));
  });
  socket.on('ping', onControl);
  socket.on('pong', onControl);
  socket.once('close', () => {
    wire.off('data', onData);
    share.close();
  });
  return (bytes) => guarded(() => share.hold(bytes));
}

export function tooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', `A message is too large; the limit is ${limit} bytes.`);
}
