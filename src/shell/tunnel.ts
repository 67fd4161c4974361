import type { Duplex } from 'node:stream';
import { ApiError } from '../contract/errors.js';
import type { Connection } from './connection.js';

/** Reasons of a refused channel: RFC 4254, section 5.1. */
const PROHIBITED = 1;
const CONNECT_FAILED = 2;

/** Loopback in the order in which it is tried: some programs listen on one of the two alone. */
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Connects to a port of the guest's own loopback. Either side of the stream can be ended while the
 * other goes on. Rejects with `guest_failed` when nothing listens there.
 */
export async function openTunnel(connection: Connection, port: number): Promise<Duplex> {
  let failure: unknown;
  for (const host of LOOPBACK) {
    try {
      return await connection.connect(host, port);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      failure ??= error;
      if (reasonOf(error) !== CONNECT_FAILED) break;
    }
  }
  if (reasonOf(failure) === PROHIBITED) {
    throw new ApiError('unsupported', 'This computer forbids to forward its ports.', {
      cause: failure,
    });
  }
  const message = `Nothing in the computer takes connections on port ${port}.`;
  throw new ApiError('guest_failed', message, { cause: failure });
}

function reasonOf(error: unknown): unknown {
  return (error as { reason?: unknown } | undefined)?.reason;
}
