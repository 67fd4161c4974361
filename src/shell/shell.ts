import type { Duplex } from 'node:stream';
import { ApiError } from '../contract/errors.js';
import { connect, type OpenShellOptions } from './connect.js';
import type { Connection } from './connection.js';
import { openFiles } from './files/index.js';
import { openJobs } from './jobs/index.js';
import { run } from './process/run.js';
import { spawn } from './process/spawn.js';
import { python } from './python/python.js';
import type { Shell } from './types.js';

/** Reasons of a refused channel: RFC 4254, section 5.1. */
const PROHIBITED = 1;
const CONNECT_FAILED = 2;

/** Loopback addresses in the order tried: some programs listen on only one of them. */
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Connects to a port on the guest's loopback. The stream may be half-closed on either side.
 * Rejects with `target_failed` when nothing listens on the port.
 */
async function openTunnel(connection: Connection, port: number): Promise<Duplex> {
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
    const message = 'This computer does not allow port forwarding.';
    throw new ApiError('unsupported', message, { cause: failure });
  }
  const message = `Nothing in the computer listens on port ${port}.`;
  const remedy = 'Start the program that listens there; ss -ltn in the computer lists the ports.';
  throw new ApiError('target_failed', message, { cause: failure, remedy });
}

function reasonOf(error: unknown): unknown {
  return (error as { reason?: unknown } | undefined)?.reason;
}

/**
 * Logs in over `stream`, which is destroyed when the connection ends or the login fails. Rejects
 * with `guest_timeout`, `guest_failed`, or the signal's reason.
 */
export async function openShell(stream: Duplex, options: OpenShellOptions): Promise<Shell> {
  const connection = await connect(stream, options);
  const { env = () => ({}) } = options;
  return {
    get open() {
      return connection.open;
    },
    get holding() {
      return connection.holding;
    },
    run: (input) =>
      run(
        connection,
        input.interpreter === undefined ? input : { ...input, env: { ...env(), ...input.env } },
      ),
    python: (input) => python(connection, { ...input, env: env() }),
    spawn: (input, signal) =>
      spawn(connection, { ...input, env: { ...env(), ...input.env } }, signal),
    files: openFiles(connection),
    jobs: openJobs(connection),
    keepAlive: () => connection.keepAlive(),
    connect: (port) => openTunnel(connection, port),
    onClose: (listener) => {
      connection.onEnd(listener);
    },
    close: () => connection.close(),
    destroy: () => connection.destroy(),
  };
}
