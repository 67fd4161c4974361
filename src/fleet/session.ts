import { ApiError } from '../contract/errors.js';
import type { Engine } from '../engines/engine.js';
import { openScreen } from '../screen/index.js';
import type { Screen, Size } from '../screen/types.js';
import { openShell } from '../shell/index.js';
import type { Shell } from '../shell/types.js';
import { Link } from './link.js';
import { Queue } from './queue.js';
import type { ComputerRecord } from './store/records.js';
import { withDeadline } from './time.js';

/** Connections that nobody uses are dropped after this long. */
const IDLE_MS = 5 * 60_000;
/** Whoever asks for something has a deadline besides, which may be shorter. */
const CONNECT_MS = { native: 15_000, emulated: 40_000 } as const;
const NO_SHELL =
  'This computer has no shell: its image was imported without an SSH server; use its screen, or import the disk with --ssh-user and --ssh-key.';

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
  /** False for a machine from a disk that was imported without an SSH server. */
  readonly hasShell: () => Promise<boolean>;
  /** Mouse and keyboard actions, one after the other. */
  readonly input = new Queue();
  /** When somebody last asked something of the computer, milliseconds since the epoch. */
  lastUsed = Date.now();
  /** The connection that was opened last; it knows where it left the pointer. */
  #screen: Screen | undefined;
  #pointer: { x: number; y: number } | undefined;
  readonly #dependents = new Set<() => void>();

  constructor(
    engine: Engine,
    { id, os, private_key: privateKey }: Pick<ComputerRecord, 'id' | 'os' | 'private_key'>,
    { openScreen, openShell }: Connectors,
  ) {
    // A Windows of its own has no clipboard that a screen could reach.
    const programs = os === 'windows' ? 'wine' : 'x11';
    const pace = () => (engine.features.isolation === 'emulated' ? 'emulated' : 'native');
    const patience = () => CONNECT_MS[pace()];
    this.screen = new Link(
      (given) =>
        withDeadline(patience(), 'The screen did not answer in time.', given, async (signal) => {
          const stream = await engine.dial(id, 'screen', signal);
          const { pointer } = this;
          const { pixels } = engine.features;
          const known = pointer ? { pointer } : {};
          this.#screen = await openScreen(stream, {
            ...{ signal, pixels, ...known },
            ...{ pace: pace(), programs, timeoutMs: patience() },
          });
          return this.#screen;
        }),
      IDLE_MS,
    );
    this.shell = new Link(
      (given) =>
        withDeadline(patience(), 'The shell did not answer in time.', given, async (signal) => {
          const access = await engine.shell(id);
          if (access === undefined) throw new ApiError('unsupported', NO_SHELL);
          const stream = await engine.dial(id, 'shell', signal);
          return openShell(stream, { privateKey, ...access, signal, timeoutMs: patience() });
        }),
      IDLE_MS,
    );
    this.hasShell = async () => (await engine.shell(id)) !== undefined;
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

  /** Opens the screen, which is about to be asked for; whoever asks hears of what goes wrong. */
  anticipate(): void {
    this.screen.use(async () => undefined).catch(() => undefined);
  }

  /** A machine that was copied with its memory has its pointer where the original's was. */
  copied({ pointer }: Session): void {
    this.lastUsed = Date.now();
    this.#screen = undefined;
    this.#pointer = pointer;
  }

  /** Where the pointer was left, if anybody knows. */
  get pointer(): { x: number; y: number } | undefined {
    return this.#screen?.pointer ?? this.#pointer;
  }

  /** Calls `end` when the session is closed, until the function returned is called. */
  onClose(end: () => void): () => void {
    this.#dependents.add(end);
    return () => this.#dependents.delete(end);
  }

  close(): void {
    for (const end of this.#dependents) end();
    this.#dependents.clear();
    this.screen.close();
    this.shell.close();
  }
}
