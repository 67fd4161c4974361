import type { Duplex } from 'node:stream';
import { connect } from './connect.js';
import { openFiles } from './files/index.js';
import { openJobs } from './jobs/index.js';
import { python } from './python.js';
import { run } from './run.js';
import { spawn } from './spawn.js';
import { openTunnel } from './tunnel.js';
import type { Shell } from './types.js';

export interface OpenShellOptions {
  /** Who logs in. */
  readonly user: string;
  /** OpenSSH private key in PEM form. */
  readonly privateKey: string;
  /** Aborts logging in; it has no effect afterwards. */
  readonly signal?: AbortSignal;
  /** Milliseconds until logging in is given up; default 15,000. */
  readonly timeoutMs?: number;
}

/**
 * Logs in over `stream`, which is destroyed when the connection ends or cannot be made. Rejects
 * with `guest_timeout`, `guest_failed`, or the signal's reason.
 */
export async function openShell(stream: Duplex, options: OpenShellOptions): Promise<Shell> {
  const connection = await connect(stream, { timeoutMs: 15_000, ...options });
  return {
    get open() {
      return connection.open;
    },
    run: (input) => run(connection, input),
    python: (input) => python(connection, input),
    spawn: (input, signal) => spawn(connection, input, signal),
    files: openFiles(connection),
    jobs: openJobs(connection),
    connect: (port) => openTunnel(connection, port),
    onClose: (listener) => {
      connection.onEnd(listener);
    },
    close: () => connection.close(),
  };
}
