import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, open, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { FILES } from '../layout.js';
import type { Workspace } from '../machine/qemu-process.js';
import { chownToMachine } from '../process/account.js';

/** Linux: a descriptor that only stands for the directory's path. Node has no constant for it. */
const O_PATH = 0o10000000;

/** A socket that writes one migration stream to a file. */
export interface MigrationSink {
  /** For QEMU's command `migrate`. */
  readonly uri: string;
  /** Resolves when the stream has ended and the file holds all of it. */
  readonly received: Promise<void>;
  /** Removes the socket; idempotent. */
  close(): Promise<void>;
}

/**
 * Listens in a machine's directory for its QEMU's migration stream. A separate process copies it to
 * the file, so that gigabytes do not pass through this one. It stops after `limit` bytes.
 */
export async function openMigrationSink(
  { directory, account }: Workspace,
  file: { readonly path: string; readonly limit: number },
): Promise<MigrationSink> {
  const socketPath = join(directory, FILES.migration);
  await rm(socketPath, { force: true });
  const server = createServer({ pauseOnConnect: true });
  const handle = await open(directory, O_PATH | constants.O_DIRECTORY);
  try {
    // A socket's path may have 107 bytes at most.
    server.listen(`/proc/self/fd/${handle.fd}/${FILES.migration}`);
    await once(server, 'listening');
  } finally {
    await handle.close();
  }
  await chownToMachine(account, socketPath);
  const received = saveStream(server, file);
  received.catch(() => undefined);
  return {
    uri: `unix:${FILES.migration}`,
    received,
    close: async () => {
      server.close();
      await rm(socketPath, { force: true });
    },
  };
}

async function saveStream(
  server: ReturnType<typeof createServer>,
  { path, limit }: { path: string; limit: number },
): Promise<void> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.close();
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const copier = spawn('head', ['-c', String(limit)], { stdio: [socket, file.fd, 'ignore'] });
    socket.destroy();
    const [code] = (await once(copier, 'close')) as [number | null];
    if (code !== 0) throw new Error(`the memory cannot be written to ${path} (code ${code})`);
  } finally {
    await file.close();
  }
}
