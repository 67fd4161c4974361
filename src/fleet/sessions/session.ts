import { ApiError } from '../../contract/errors.js';
import { type Engine, isConnecting, type MachineDescription } from '../../engines/engine.js';
import { type Deferred, deferred } from '../../lib/async/deferred.js';
import { Queue } from '../../lib/async/queue.js';
import { collectSoon } from '../../lib/memory/collect.js';
import { openScreen, UpdateLimit } from '../../screen/index.js';
import type { ExtraButtons, Screen, Size } from '../../screen/types.js';
import { PacketLimit } from '../../shell/limits/packet-limit.js';
import { openShell } from '../../shell/shell.js';
import type { Shell } from '../../shell/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { ComputerRecord } from '../store/records.js';
import { type LastUse, SharedConnection } from './shared-connection.js';
import { SpareConnections } from './spare-connections.js';

/** Idle connections are closed after this long. */
const IDLE_MS = 5 * 60_000;
/** The same for a screen, whose pixels take megabytes. */
const SCREEN_IDLE_MS = 45_000;
/** Limit for connecting; a request's own deadline may be shorter. */
const CONNECT_MS = { native: 15_000, emulated: 40_000 } as const;
/** Limit for pressing a button through the shell. */
const EXTRA_BUTTON_MS = 10_000;
const NO_SHELL = 'This computer has no shell: its image was imported without an SSH server.';
const GET_A_SHELL =
  'Use its screen, or import the disk with a shell: vc image import --ssh-user USER --ssh-key FILE';

/** Open connections over an engine's streams; replaced in unit tests. */
export interface Connectors {
  readonly openScreen: typeof openScreen;
  readonly openShell: typeof openShell;
}

export const realConnectors: Connectors = { openScreen, openShell };

export type SessionRecord = Pick<ComputerRecord, 'id' | 'private_key'>;

/** The service's connections to one computer. */
export class Session {
  readonly screen: SharedConnection<Screen>;
  readonly shell: SharedConnection<Shell>;
  /** Runs mouse and keyboard actions one after the other. */
  readonly input = new Queue();
  /** When this computer was used last, in milliseconds of the monotonic clock. */
  lastUsed = performance.now();
  /** True while the setup script runs. */
  settingUp = false;
  /** The open screen connection, which holds the last pointer position. */
  #screen: Screen | undefined;
  #pointer: { x: number; y: number } | undefined;
  readonly #describe: (signal?: AbortSignal) => Promise<MachineDescription>;
  #description: MachineDescription | undefined;
  /** Settled when the connections of {@link hold} need no longer stay open. */
  #held: Deferred<void> | undefined;
  readonly #dependents = new Set<() => void>();

  constructor(
    engine: Engine,
    { id, private_key: privateKey }: SessionRecord,
    { openScreen, openShell }: Connectors,
    spares = new SpareConnections(),
    env: () => Readonly<Record<string, string>> = () => ({}),
  ) {
    this.#describe = (signal) => engine.describe(id, signal);
    const direct = isConnecting(engine)
      ? {
          socketDirectory: engine.socketDirectory,
          connect: (name: string, given?: AbortSignal) => engine.connect(id, name, given),
        }
      : undefined;
    const updateLimit = new UpdateLimit();
    const packetLimit = new PacketLimit();
    this.screen = new SharedConnection(
      async (given) => {
        const { isolation, pixels, programs } = await this.describe(given);
        const speed = isolation === 'emulated' ? 'emulated' : 'native';
        const timeoutMs = CONNECT_MS[speed];
        const late = 'The screen did not answer in time.';
        return withGuestDeadline(timeoutMs, late, given, async (signal) => {
          const stream = await engine.dial(id, 'screen', signal);
          const { pointer } = this;
          const known = pointer ? { pointer } : {};
          const extraButtons = programs === 'native' ? undefined : this.#extraButtons;
          const options = {
            signal,
            pixels,
            speed,
            programs,
            timeoutMs,
            extraButtons,
            limit: updateLimit,
            ...known,
          } as const;
          const screen = await openScreen(stream, options);
          this.#screen = screen;
          screen.once('close', () => this.#screenClosed(screen));
          return screen;
        });
      },
      (lastUse) => this.#screenIdleMs(lastUse),
      spares,
    );
    this.shell = new SharedConnection(
      async (given) => {
        const { isolation, shell } = await this.describe(given);
        if (shell === undefined) {
          throw new ApiError('unsupported', NO_SHELL, { remedy: GET_A_SHELL });
        }
        const timeoutMs = CONNECT_MS[isolation === 'emulated' ? 'emulated' : 'native'];
        const late = 'The shell did not answer in time.';
        return withGuestDeadline(timeoutMs, late, given, async (signal) => {
          const stream = await engine.dial(id, 'shell', signal);
          const limit = packetLimit;
          const own = { direct, limit, env };
          const options = { privateKey, ...shell, signal, timeoutMs, ...own };
          const opened = await openShell(stream, options);
          // A guest that is paused answers nothing.
          if (this.#held === undefined) opened.keepAlive();
          return opened;
        });
      },
      IDLE_MS,
      spares,
    );
  }

  /**
   * Longer for an emulated guest, which takes most of a second to send its whole screen again, and for
   * a list of computers with their pictures, which reads each of them now and then.
   */
  #screenIdleMs(lastUse: LastUse): number {
    const isCostly = this.#description?.isolation === 'emulated' || lastUse === 'watch';
    return isCostly ? IDLE_MS : SCREEN_IDLE_MS;
  }

  /** Keeps nothing of it but the position of the pointer: its picture takes megabytes. */
  #screenClosed(screen: Screen): void {
    collectSoon();
    if (this.#screen !== screen) return;
    this.#pointer = screen.pointer;
    this.#screen = undefined;
  }

  /** Older display servers know seven buttons; the X server has more. */
  readonly #extraButtons: ExtraButtons = async (action, button, signal) => {
    const end = signal ?? AbortSignal.timeout(EXTRA_BUTTON_MS);
    const { exitCode, stderr } = await this.shell.use(
      (shell) =>
        shell.run({
          command: `xdotool ${action} ${button}`,
          background: false,
          timeoutMs: EXTRA_BUTTON_MS,
          signal: end,
        }),
      end,
    );
    if (exitCode !== 0) {
      throw new ApiError(
        'guest_failed',
        `The button could not be pressed: ${stderr.slice(0, 200)}`,
      );
    }
  };

  /** What the machine is and can do, asked of its engine once per start. */
  async describe(signal?: AbortSignal): Promise<MachineDescription> {
    this.#description ??= await this.#describe(signal);
    return this.#description;
  }

  /** The machine's description as far as it is known. */
  get described(): MachineDescription | undefined {
    return this.#description;
  }

  /** True while a request uses the computer. */
  get busy(): boolean {
    return this.screen.inUse || this.shell.inUse || this.input.length > 0;
  }

  /** After a start the pointer is in the middle of the screen. */
  started(size: Size): void {
    this.lastUsed = performance.now();
    this.#held?.resolve();
    this.#held = undefined;
    this.shell.present?.keepAlive();
    // That of a machine of the warm pool is open already.
    this.#screen = this.screen.present;
    if (this.#screen === undefined) this.#description = undefined;
    this.#pointer = { x: Math.floor(size.width / 2), y: Math.floor(size.height / 2) };
  }

  /**
   * Opens both connections, and keeps them open until the session is {@link started} or closed. The
   * machine may be paused meanwhile.
   */
  async hold(size: Size, signal: AbortSignal): Promise<void> {
    this.started(size);
    const held = deferred<void>();
    this.#held = held;
    await Promise.all([
      keepOpen(this.screen, held.promise, signal),
      keepOpen(this.shell, held.promise, signal),
    ]);
  }

  /** Opens the screen ahead of its first use. Ignores errors: the first use reports them. */
  anticipate(): void {
    this.screen.prepare(async () => undefined).catch(() => undefined);
  }

  /** Its memory is continued: the pointer is where that of `original` was, if it is known. */
  copied(original: Session | undefined): void {
    const pointer = original?.pointer;
    this.lastUsed = performance.now();
    this.#screen = undefined;
    this.#description = undefined;
    this.#pointer = pointer;
  }

  /** Last known pointer position. */
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
    this.#held?.resolve();
    this.#held = undefined;
    this.screen.close();
    this.shell.close();
  }
}

/** Resolves when the connection is open; it stays open until `end`. */
function keepOpen<C extends Screen | Shell>(
  connection: SharedConnection<C>,
  end: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const opened = deferred<void>();
  const keep = () => {
    opened.resolve();
    return end;
  };
  connection.prepare(keep, signal).catch(opened.reject);
  return opened.promise;
}
