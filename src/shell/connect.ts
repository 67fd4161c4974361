import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { ApiError } from '../contract/errors.js';
import { Connection } from './connection.js';

export interface ConnectOptions {
  readonly user: string;
  readonly privateKey: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Logs in. Rejects with `guest_timeout` after `timeoutMs` milliseconds, `guest_failed` when the
 * guest does not speak SSH or refuses the key, and the signal's reason when it aborts; the stream
 * is then destroyed.
 */
export async function connect(stream: Duplex, options: ConnectOptions): Promise<Connection> {
  const client = new ssh2.Client();
  const connection = new Connection(client, stream);
  try {
    await new Promise<void>((resolve, reject) => {
      const { signal } = options;
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const forget = connection.onEnd((error) => reject(error));
      const timer = setTimeout(
        () => reject(new ApiError('guest_timeout', 'The computer did not log us in in time.')),
        options.timeoutMs,
      );
      client.once('ready', () => {
        forget();
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      connection.onEnd(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      });
      client.connect({
        sock: stream,
        username: options.user,
        privateKey: options.privateKey,
        readyTimeout: 0,
        keepaliveInterval: 15_000,
        keepaliveCountMax: 3,
        // The engine's stream leads to this computer and nowhere else: there is nobody in between
        // from whom a host key could protect, and the guest makes its key itself.
        hostVerifier: () => true,
        // Measured: fastest of what both ends have, and all of it without a compiled add-on.
        algorithms: {
          kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256'],
          cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr'],
          compress: ['none'],
        },
      });
    });
    connection.guardFlow();
    return connection;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
