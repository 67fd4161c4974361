import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, open, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { FILES } from './layout.js';
import { giveToMachine } from './process/index.js';
import type { Place } from './qemu.js';

/** Linux: the directory itself, as a stand-in for its path. Node has no name for it. */
const O_PATH = 0o10000000;

/** A socket that takes in one stream and writes it to a file. */
export interface Receiver {
  /** What QEMU is told to send to. */
  readonly uri: string;
  /** Resolves when the stream has ended and all of it is in the file. */
  readonly received: Promise<void>;
  /** Removes the socket; idempotent. */
  close(): Promise<void>;
}

/**
 * Listens in a machine's directory for the one stream that its QEMU will send, and has the bytes
 * carried to the file by a process of their own: gigabytes that never pass through this one. More
 * than `limit` bytes are not taken.
 */
export async function receive(
  { directory, account }: Place,
  file: { readonly path: string; readonly limit: number },
): Promise<Receiver> {
  const socketPath = join(directory, FILES.migration);
  await rm(socketPath, { force: true });
  const server = createServer({ pauseOnConnect: true });
  const folder = await open(directory, O_PATH | constants.O_DIRECTORY);
  try {
    // A socket's path may have no more than 107 bytes.
    server.listen(`/proc/self/fd/${folder.fd}/${FILES.migration}`);
    await once(server, 'listening');
  } finally {
    await folder.close();
  }
  await giveToMachine(account, socketPath);
  const received = take(server, file);
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

async function take(
  server: ReturnType<typeof createServer>,
  { path, limit }: { path: string; limit: number },
): Promise<void> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.close();
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const carrier = spawn('head', ['-c', String(limit)], { stdio: [socket, file.fd, 'ignore'] });
    socket.destroy();
    const [code] = (await once(carrier, 'close')) as [number | null];
    if (code !== 0) throw new Error(`the memory could not be written to ${path} (code ${code})`);
  } finally {
    await file.close();
  }
}
