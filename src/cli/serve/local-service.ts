import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CliError } from '../errors.js';

/**
 * A backup, streamed by the service that runs in that state directory; undefined when none does.
 * It is complete when the stream ends without an error.
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
      reject(new CliError(`the service could not write a backup: ${reason}`));
    })
      .on('error', reject)
      .end();
  });
}

/** Undefined when nobody listens there. */
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

/** Where a service that runs in the state directory listens for this machine's commands. */
export function localSocket(stateDirectory: string): string {
  return join(stateDirectory, 'service.sock');
}
