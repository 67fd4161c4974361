import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Unadopted } from '../../fleet/lifecycle/adoption.js';
import { CliError } from '../errors/cli-error.js';

/**
 * A backup streamed by the running service; undefined if none listens. It is complete if the stream
 * ends without an error.
 */
export async function backupOfService(
  socketPath: string,
  signal: AbortSignal,
): Promise<Readable | undefined> {
  const socket = await dial(socketPath);
  if (socket === undefined) return undefined;
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', path: '/backup', signal, createConnection: () => socket };
    request(options, async (response) => {
      if (response.statusCode === 200) return resolve(response);
      const reason = await text(response).catch(String);
      reject(new CliError(`the service failed to write the backup: ${reason}`));
    })
      .on('error', reject)
      .end();
  });
}

/**
 * Machines that no computer owns and that the running service left alone; null if none of its engines
 * adopts machines, undefined if no service runs.
 */
export async function unadoptedOfService(
  socketPath: string,
  signal: AbortSignal,
): Promise<readonly Unadopted[] | null | undefined> {
  const socket = await dial(socketPath);
  if (socket === undefined) return undefined;
  const answer = await new Promise<Readable>((resolve, reject) => {
    const options = { path: '/unadopted', signal, createConnection: () => socket };
    request(options, resolve).on('error', reject).end();
  });
  return JSON.parse(await text(answer));
}

/** Undefined if nothing listens on `path`. */
async function dial(path: string): Promise<Socket | undefined> {
  if (process.platform === 'linux') {
    const { dialSocketFile, NotListening } = await import('../../engines/socket-file.js');
    return dialSocketFile(path, 'The service').catch((error) => {
      if (error instanceof NotListening) return undefined;
      throw error;
    });
  }
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => {
      if ('code' in error && ['ENOENT', 'ECONNREFUSED'].includes(String(error.code))) {
        resolve(undefined);
      } else reject(error);
    });
  });
}

/** The socket of a service's operations without a key. */
export function adminSocket(stateDirectory: string): string {
  return join(stateDirectory, 'admin.sock');
}
