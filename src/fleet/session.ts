import type { Engine } from '../engines/engine.js';
import { openScreen } from '../screen/index.js';
import type { Screen, Size } from '../screen/types.js';
import { openShell } from '../shell/index.js';
import type { Shell } from '../shell/types.js';
import { Link } from './link.js';
import { Queue } from './queue.js';
import { withDeadline } from './time.js';

/** Connections that nobody uses are dropped after this long. */
const IDLE_MS = 5 * 60_000;
const CONNECT_MS = 15_000;

/** How streams become connections; unit tests put others in their place. */
export interface Connectors {
  readonly openScreen: typeof openScreen;
  readonly openShell: typeof openShell;
}

export const realConnectors: Connectors = { openScreen, openShell };

/** The service's connections to one computer. */
export class Session {
  readonly screen: Link<Screen>;
  readonly shell: Link<Shell>;
  /** Mouse and keyboard actions, one after the other. */
  readonly input = new Queue();
  /** When somebody last asked something of the computer, milliseconds since the epoch. */
  lastUsed = Date.now();
  /** The connection that was opened last; it knows where it left the pointer. */
  #screen: Screen | undefined;
  #pointer: { x: number; y: number } | undefined;

  constructor(
    engine: Engine,
    id: string,
    privateKey: string,
    { openScreen, openShell }: Connectors,
  ) {
    this.screen = new Link(
      () =>
        withDeadline(
          CONNECT_MS,
          'The screen did not answer in time.',
          undefined,
          async (signal) => {
            const stream = await engine.dial(id, 'screen', signal);
            const pointer = this.#screen?.pointer ?? this.#pointer;
            this.#screen = await openScreen(stream, { signal, ...(pointer ? { pointer } : {}) });
            return this.#screen;
          },
        ),
      IDLE_MS,
    );
    this.shell = new Link(
      () =>
        withDeadline(CONNECT_MS, 'The shell did not answer in time.', undefined, async (signal) =>
          openShell(await engine.dial(id, 'shell', signal), {
            user: engine.shell.user,
            privateKey,
            signal,
          }),
        ),
      IDLE_MS,
    );
  }

  /** Somebody is at work with it at this moment. */
  get busy(): boolean {
    return this.screen.inUse || this.shell.inUse || this.input.length > 0;
  }

  /** A machine that has just been started has its pointer in the middle of its screen. */
  started(size: Size): void {
    this.lastUsed = Date.now();
    this.#screen = undefined;
    this.#pointer = { x: Math.floor(size.width / 2), y: Math.floor(size.height / 2) };
  }

  close(): void {
    this.screen.close();
    this.shell.close();
  }
}
