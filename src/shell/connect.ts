import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { ApiError } from '../contract/errors.js';
import { within } from '../lib/async/deadline.js';
import { joinWrites } from '../lib/streams/join-writes.js';
import { Connection } from './connection.js';
import { limitGuest } from './limits/guest-limits.js';
import { PacketLimit } from './limits/packet-limit.js';
import type { DirectWay } from './types.js';

export interface OpenShellOptions {
  /** The user to log in as. */
  readonly user: string;
  /** OpenSSH private key in PEM form. */
  readonly privateKey: string;
  /** Aborts the login; it has no effect afterwards. */
  readonly signal?: AbortSignal;
  /** Milliseconds to wait for the login; 15,000 by default. */
  readonly timeoutMs?: number;
  /** The computer's variables, for all but internal scripts. Asked for at each start of a program. */
  readonly env?: () => Readonly<Record<string, string>>;
  /** A shorter way to programs in the guest, for large files. */
  readonly direct?: DirectWay | undefined;
  /** Of all connections to this computer together; by default one for this connection alone. */
  readonly limit?: PacketLimit;
}

/**
 * Logs in. Rejects with `guest_timeout` after `timeoutMs`, `guest_failed` when the guest does not
 * speak SSH or refuses the key, or the signal's reason, and destroys the stream.
 */
export async function connect(stream: Duplex, options: OpenShellOptions): Promise<Connection> {
  // ssh2 writes a packet in two or three parts.
  joinWrites(stream);
  const client = new ssh2.Client();
  const connection = new Connection(client, stream, options.direct);
  try {
    const { signal, timeoutMs: ms = 15_000, limit = new PacketLimit() } = options;
    signal?.throwIfAborted();
    const ready = new Promise<void>((resolve, reject) => {
      const forget = connection.onEnd(reject);
      client.once('ready', () => {
        forget();
        resolve();
      });
      client.connect({
        sock: stream,
        username: options.user,
        privateKey: options.privateKey,
        readyTimeout: 0,
        // The engine's stream leads directly to this computer, so a host key would protect
        // from nothing, and the guest generates its own.
        hostVerifier: () => true,
        // The fastest algorithms that both ends support without a compiled add-on.
        algorithms: {
          kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256'],
          cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr'],
          compress: ['none'],
        },
      });
      connection.watchChannels();
      limitGuest(client, stream, limit, (error) => connection.destroy(error));
    });
    const onTimeout = () =>
      new ApiError('guest_timeout', 'The SSH login to the computer took too long.');
    await within(ready, { ms, onTimeout, signal });
    return connection;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
