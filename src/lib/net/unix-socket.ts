import { chmodSync, closeSync, openSync, rmSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';

/** The path of a unix socket may have 107 bytes. */
const LONGEST = 107;

/** Calls `use` at once with a path to the same file that is short enough for a socket (Linux). */
function withShortPath<T>(path: string, use: (short: string) => T): T {
  if (Buffer.byteLength(path) <= LONGEST) return use(path);
  const directory = openSync(dirname(path), 'r');
  try {
    return use(`/proc/self/fd/${directory}/${basename(path)}`);
  } finally {
    closeSync(directory);
  }
}

/** Connects to a unix socket. */
export function connectUnix(path: string): Socket {
  return withShortPath(path, (short) => connect(short));
}

/**
 * Lets a server listen on a unix socket of mode 0600. A socket that a killed process has left there is
 * replaced, so only one process at a time may use the path.
 */
export async function listenUnix(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    withShortPath(path, (short) => server.listen(short, resolve));
  });
  chmodSync(path, 0o600);
}
