import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, type FileHandle, open, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { ApiError } from '../../../contract/errors.js';
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
  /** Aborted with the reason when the stream cannot be written to the file. */
  readonly failed: AbortSignal;
  /** Ends the stream if there is one, and removes the socket; idempotent. */
  close(): Promise<void>;
}

export interface SinkOptions {
  readonly path: string;
  /** Bytes at most in the file. */
  readonly limit: number;
}

/**
 * Creates the file and listens in a machine's directory for its QEMU's migration stream. A separate
 * process copies it to the file, so that gigabytes do not pass through this one. Throws if the file exists
 * or cannot be created.
 */
export async function openMigrationSink(
  { directory, account }: Workspace,
  { path, ...options }: SinkOptions,
): Promise<MigrationSink> {
  const socketPath = join(directory, FILES.migration);
  const server = createServer({ pauseOnConnect: true });
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  // First, so that QEMU never writes to a connection that nothing reads.
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await rm(socketPath, { force: true });
    await listenIn(directory, server);
    await chownToMachine(account, socketPath);
  } catch (error) {
    server.close();
    await file.close();
    throw error;
  }
  const closed = new AbortController();
  const failed = new AbortController();
  const received = saveStream(server, file, { ...options, signal: closed.signal });
  received.catch((error) => failed.abort(error));
  return {
    uri: `unix:${FILES.migration}`,
    received,
    failed: failed.signal,
    close: async () => {
      closed.abort();
      server.close();
      await rm(socketPath, { force: true });
    },
  };
}

/** A socket's path may have 107 bytes at most, and that of the directory can be longer. */
async function listenIn(directory: string, server: Server): Promise<void> {
  const handle = await open(directory, O_PATH | constants.O_DIRECTORY);
  try {
    server.listen(`/proc/self/fd/${handle.fd}/${FILES.migration}`);
    await once(server, 'listening');
  } finally {
    await handle.close();
  }
}

interface CopyOptions extends Omit<SinkOptions, 'path'> {
  readonly signal: AbortSignal;
}

/** Closes the file in any case. */
async function saveStream(server: Server, file: FileHandle, options: CopyOptions): Promise<void> {
  try {
    const [socket] = (await once(server, 'connection', { signal: options.signal })) as [Socket];
    server.close();
    const copier = startCopier(socket, file, options);
    let output = '';
    copier.stderr?.setEncoding('utf8').on('data', (text) => {
      output = `${output}${text}`.slice(0, 300);
    });
    const [code, signal] = await once(copier, 'close');
    if (code !== 0) throw notSaved(output.trim() || String(signal ?? `exit code ${code}`));
  } finally {
    await file.close();
  }
}

/** Passes the connection to a process, and closes this one's end in any case. */
function startCopier(
  socket: Socket,
  file: FileHandle,
  { limit, signal }: CopyOptions,
): ChildProcess {
  // The guest is paused meanwhile: cat reads larger pieces than head.
  const argv = [`--fsize=${limit}`, '--core=0', 'cat'];
  try {
    return spawn('prlimit', argv, { stdio: [socket, file.fd, 'pipe'], signal });
  } finally {
    socket.destroy();
  }
}

/** Compresses a file with zstd, which must be installed, and removes it. */
export async function compressStream(
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = { reject: false, ...(signal && { cancelSignal: signal }) };
  const { failed, stderr } = await execa('zstd', ['-1', '-q', '--rm', from, '-o', to], options);
  signal?.throwIfAborted();
  if (failed) throw notSaved(stderr.trim());
}

function notSaved(reason: string): ApiError {
  return new ApiError('internal', `The memory of the computer cannot be saved: ${reason}`, {
    ...(/No space left/i.test(reason) && { remedy: "Free some space on the host's disk." }),
  });
}
