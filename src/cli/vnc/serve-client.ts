import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TokenBucket } from '../../lib/async/token-bucket.js';
import { readExactly } from '../../lib/streams/read-exactly.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { CliError } from '../errors/cli-error.js';
import {
  challengeClient,
  checkPassword,
  failedResult,
  SECURITY_OK,
  VERSION,
} from './authentication.js';

/** Milliseconds for the handshake, in which a person may type the password. */
const HANDSHAKE_MS = 120_000;

interface ClientOptions {
  readonly password: string;
  readonly attempts: TokenBucket;
  /** Opens the live view; the signal is aborted when the client disconnects. */
  open(signal: AbortSignal): Promise<Duplex>;
  readonly handshakeMs?: number;
}

/**
 * Connects a native VNC client, which has to know the password, with a live view. Resolves when the
 * client has disconnected. Rejects with the error that refused the client or ended the view.
 */
export async function serveClient(client: Socket, options: ClientOptions): Promise<void> {
  const gone = new AbortController();
  client.once('close', () => gone.abort());
  const timer = setTimeout(() => client.destroy(), options.handshakeMs ?? HANDSHAKE_MS);
  try {
    const view = await admit(client, options, gone.signal).finally(() => clearTimeout(timer));
    await Promise.all([pipeline(client, view), pipeline(view, client)]);
  } finally {
    client.destroySoon();
  }
}

async function admit(client: Socket, options: ClientOptions, signal: AbortSignal): Promise<Duplex> {
  const { password, attempts, open } = options;
  const answered = await challengeClient(client, signal);
  try {
    checkPassword(answered, password, attempts);
    const view = await open(signal);
    await shakeHands(view, signal);
    client.write(SECURITY_OK);
    return view;
  } catch (error) {
    client.write(failedResult(errorMessage(error)));
    throw error;
  }
}

/** The client's part of the handshake with the service (docs/live-view.md). */
async function shakeHands(view: Duplex, signal: AbortSignal): Promise<void> {
  const steps = [
    { expected: VERSION, answer: VERSION },
    // One security type, None: the ticket has authenticated the client.
    { expected: Buffer.from([1, 1]), answer: Buffer.from([1]) },
    { expected: SECURITY_OK, answer: undefined },
  ];
  for (const { expected, answer } of steps) {
    const found = await readExactly(view, expected.length, signal);
    if (!found.equals(expected)) {
      throw new CliError('the live view of the service speaks another protocol', {
        remedy: 'use the version of vc that the service has',
      });
    }
    if (answer !== undefined) view.write(answer);
  }
}
