import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { within } from '../../../lib/async/deadline.js';
import { deferred } from '../../../lib/async/deferred.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { Containers } from '../machine/containers.js';
import { execStream } from '../machine/exec-stream.js';
import type { MachineSockets } from './machine-sockets.js';
import { NotListening, SCREEN_SOCKET } from './socket.js';

/** Connects standard input and output to the screen's socket, with Python's standard library. */
const RELAY = `
import os, socket, threading
s = socket.socket(socket.AF_UNIX)
s.connect('/run/vc/rfb.sock')
def up():
    while data := os.read(0, 65536):
        s.sendall(data)
    os._exit(0)
threading.Thread(target=up, daemon=True).start()
while data := s.recv(65536):
    while data:
        data = data[os.write(1, data):]
`;

/** Time limit for the server's greeting, in milliseconds. */
const FIRST_BYTE_MS = 5_000;

/**
 * Connects to the screen of a machine on a remote Engine, through a program in the container.
 * Resolves when the server has sent its greeting. Throws {@link NotListening} if it does not listen.
 */
async function relayScreen(
  docker: Docker,
  container: string,
  signal?: AbortSignal,
): Promise<Duplex> {
  const stream = await execStream(docker, container, ['python3', '-c', RELAY], signal);
  try {
    await firstByte(stream, signal);
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

async function firstByte(stream: Duplex, signal: AbortSignal | undefined): Promise<void> {
  const first = deferred<void>();
  const ended = () => new NotListening('the relay ended');
  const onEnd = () => first.reject(ended());
  const onReadable = () => (stream.readableLength > 0 ? first.resolve() : onEnd());
  stream.on('readable', onReadable).on('error', first.reject).on('close', onEnd);
  try {
    await within(first.promise, { ms: FIRST_BYTE_MS, onTimeout: ended, signal });
  } finally {
    stream.off('readable', onReadable).off('error', first.reject).off('close', onEnd);
  }
}

/** Time to wait for a screen that does not listen yet. */
const LISTENING_MS = 10_000;
const ATTEMPT_EVERY_MS = 15;

export interface ScreensOptions {
  readonly docker: Docker;
  readonly containers: Containers;
  readonly sockets: MachineSockets;
}

/** Connects to the screens of machines. */
export class Screens {
  readonly #options: ScreensOptions;

  constructor(options: ScreensOptions) {
    this.#options = options;
  }

  /** Waits for a screen that does not listen yet. */
  async dial(id: string, signal?: AbortSignal): Promise<Duplex> {
    const { docker, containers, sockets } = this.#options;
    for (const end = performance.now() + LISTENING_MS; ; ) {
      try {
        const screen = await sockets.dial(id, SCREEN_SOCKET, signal);
        return screen ?? (await relayScreen(docker, await containers.id(id, signal), signal));
      } catch (error) {
        if (!(error instanceof NotListening)) throw error;
        if (performance.now() > end) {
          const message = "The computer's screen does not listen.";
          throw new ApiError('guest_timeout', message, { cause: error });
        }
      }
      await sleep(ATTEMPT_EVERY_MS, signal);
    }
  }
}
