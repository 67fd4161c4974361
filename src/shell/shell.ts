import type { Duplex } from 'node:stream';
import { connect, type OpenShellOptions } from './connect.js';
import { openFiles } from './files/index.js';
import { openJobs } from './jobs/index.js';
import { run } from './process/run.js';
import { spawn } from './process/spawn.js';
import { python } from './python/python.js';
import { openTunnel } from './tunnel.js';
import type { Shell } from './types.js';

/**
 * Logs in over `stream`, which is destroyed when the connection ends or the login fails. Rejects
 * with `guest_timeout`, `guest_failed`, or the signal's reason.
 */
export async function openShell(stream: Duplex, options: OpenShellOptions): Promise<Shell> {
  const connection = await connect(stream, options);
  return {
    get open() {
      return connection.open;
    },
    get holding() {
      return connection.holding;
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
    destroy: () => connection.destroy(),
  };
}
