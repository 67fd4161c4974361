import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { Containers } from '../machine/containers.js';
import type { MachineSockets } from './machine-sockets.js';
import { relayScreen } from './relay.js';
import { NotListening, SCREEN_SOCKET } from './socket.js';

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
