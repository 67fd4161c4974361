import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf, targetFailed } from '../errors.js';
import type { Target } from '../target.js';

/** Milliseconds that one address has to answer. */
const CONNECT_MS = 5_000;

/** Connects to the first of the checked `addresses` that answers; the name is not looked up again. */
export async function dial(
  target: Target,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
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

function connectTo(target: Target, address: string, signal: AbortSignal): Promise<Socket> {
  const { host, port, secure } = target;
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : { servername: '' };
    const socket = secure
      ? connectTls({ host: address, port, ...name })
      : connect({ host: address, port });
    const fail = (error: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error);
    };
    const onAbort = () => fail(signal.reason);
    const timer = setTimeout(() => fail(new Error('it does not answer')), CONNECT_MS);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', fail);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('error', fail);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
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
