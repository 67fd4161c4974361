import type { Engine } from '../engines/engine.js';
import { openScreen } from '../screen/index.js';
import type { Screen } from '../screen/types.js';
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

  constructor(
    engine: Engine,
    id: string,
    privateKey: string,
    { openScreen, openShell }: Connectors,
  ) {
    this.screen = new Link(
      () =>
        withDeadline(CONNECT_MS, 'The screen did not answer in time.', undefined, async (signal) =>
          openScreen(await engine.dial(id, 'screen', signal), { signal }),
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

  close(): void {
    this.screen.close();
    this.shell.close();
  }
}
