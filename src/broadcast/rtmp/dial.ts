import { constants } from 'node:crypto';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls, DEFAULT_CIPHERS } from 'node:tls';
import { within } from '../../lib/async/deadline.js';
import { deferred } from '../../lib/async/deferred.js';
import { messageOf, targetFailed } from '../errors.js';
import type { Target } from '../target.js';
import { SlowInput } from './slow-input.js';

/**
 * A target chooses the group of DHE, and one of 10,000 bits takes this process a second. A server may ask
 * for a new handshake in TLS 1.2 as often as it likes.
 */
const TLS = {
  ciphers: `${DEFAULT_CIPHERS}:!DHE`,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};
/** Addresses of a target that are tried. */
const MOST_ADDRESSES = 4;
/** Milliseconds to wait for a connection to one address. */
const CONNECT_MS = 5_000;

/** Connects to the first of the checked `addresses` that accepts, without resolving the name again. */
export async function dial(
  target: Target,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Duplex> {
  let failure: unknown;
  for (const address of addresses.slice(0, MOST_ADDRESSES)) {
    signal.throwIfAborted();
    try {
      return await connectTo(target, address, signal);
    } catch (error) {
      failure = error;
    }
  }
  signal.throwIfAborted();
  throw targetFailed(target.label, reason(failure), failure);
}

async function connectTo(target: Target, address: string, signal: AbortSignal): Promise<Duplex> {
  const { host, port, secure } = target;
  const name = isIP(host) === 0 ? { servername: host } : { servername: '' };
  const raw = connect({ host: address, port });
  const input = new SlowInput(raw, address);
  const socket = secure ? overTls(input, { host: address, ...name }) : input;
  raw.once('connect', () => secure || input.secured());
  const connection = deferred<void>();
  socket.on('error', connection.reject);
  if (secure) socket.once('secureConnect', () => connection.resolve());
  else raw.once('connect', () => connection.resolve());
  const onTimeout = () => new Error('it does not answer');
  try {
    await within(connection.promise, { ms: CONNECT_MS, onTimeout, signal });
    raw.setNoDelay(true);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function overTls(input: SlowInput, options: ConnectionOptions): Socket {
  const socket = connectTls({ ...TLS, ...options, socket: input });
  socket.once('secureConnect', () => input.secured());
  return socket;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'it closed the connection',
  ETIMEDOUT: 'it does not answer',
};

function reason(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  return REASONS[code] ?? messageOf(failure);
}
