import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../contract/errors.js';
import { abortable } from './guest/abortable.js';
import { hardeningArguments } from './hardening.js';
import { type Host, PROGRAM } from './host.js';
import { FILES } from './layout.js';
import type { MachineNetwork } from './network/index.js';
import {
  type Account,
  connectSocket,
  type Ended,
  type LaunchRequest,
  lastWords,
  launch,
  NotListening,
  type ProcessIdentity,
  signalProcess,
  waitForEnd,
} from './process/index.js';
import { QmpClient, type QmpEvent } from './qmp/client.js';
import type { Message } from './qmp/json-lines.js';
import { type AskOptions, Disconnected } from './qmp/json-peer.js';

/** QEMU has its socket within some ten milliseconds; a busy host may need much longer. */
const MONITOR_MS = 15_000;
const QUIT_MS = 3_000;
const KILL_MS = 10_000;

/** Where a machine lies and who it runs as. */
export interface Place {
  readonly directory: string;
  readonly account: Account;
}

export interface LaunchOptions extends Place {
  /** QEMU's arguments after the hardening. */
  readonly arguments: readonly string[];
  readonly acceleration: 'kvm' | 'tcg';
  readonly network: MachineNetwork;
  /** File descriptors for QEMU: they become 3, 4, … */
  readonly inherit?: readonly number[];
  /** See {@link Qemu.seasoned}. */
  readonly seasoned: boolean;
  /** A port of the guest to which connections shall be possible. */
  readonly relayPort?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called as soon as there is a process, before anything else is done with it. */
  onLaunched(identity: ProcessIdentity): Promise<void>;
}

/** A QEMU that runs, whoever started it, and the one connection to its monitor. */
export class Qemu {
  readonly place: Place;
  readonly identity: ProcessIdentity;
  /** As it was last laid down; undefined when another service did. */
  network: MachineNetwork | undefined;
  /** Resolves when the process is gone. Never rejects. */
  readonly ended: Promise<Ended>;
  readonly #listeners = new Set<(event: QmpEvent) => void>();
  #monitor: Promise<QmpClient> | undefined;
  #over = false;
  #seasoned = false;

  /** Resolves when QEMU takes commands. Throws ApiError `guest_failed` with QEMU's own words. */
  static async launch(host: Host, options: LaunchOptions): Promise<Qemu> {
    const { directory, account, signal, inherit, relayPort } = options;
    const request: LaunchRequest = {
      directory,
      account,
      program: PROGRAM,
      args: [...hardeningArguments, ...options.arguments],
      network: options.network,
      acceleration: options.acceleration,
      ...(inherit && { inherit }),
      ...(relayPort !== undefined && { relayPort }),
      ...(signal && { signal }),
    };
    const { identity, ended } = await launch(request).catch(async (cause) => {
      signal?.throwIfAborted();
      await host.version();
      const words = cause instanceof Error ? cause.message : String(cause);
      throw new ApiError('guest_failed', `QEMU did not start: ${words}`, { cause });
    });
    const qemu = new Qemu(options, identity, ended);
    qemu.#seasoned = options.seasoned;
    qemu.network = options.network;
    try {
      await options.onLaunched(identity);
      await qemu.monitor(signal);
      return qemu;
    } catch (error) {
      await qemu.end(0);
      throw error;
    }
  }

  /** Takes over one that runs already. */
  static adopt(place: Place, identity: ProcessIdentity): Qemu {
    const qemu = new Qemu(place, identity, waitForEnd(place.directory, identity));
    qemu.#seasoned = true;
    return qemu;
  }

  private constructor(
    { directory, account }: Place,
    identity: ProcessIdentity,
    ended: Promise<Ended>,
  ) {
    this.place = { directory, account };
    this.identity = identity;
    this.ended = ended.catch((): Ended => ({ kind: 'unknown' }));
    this.ended.then(() => {
      this.#over = true;
      this.#monitor?.then((client) => client.close()).catch(() => undefined);
    });
  }

  /** Its guest may have had connections already: before this service, or in the machine it is of. */
  get seasoned(): boolean {
    return this.#seasoned;
  }

  /** False once the process is known to have ended. */
  get alive(): boolean {
    return !this.#over;
  }

  /** QEMU's events from now on, as long as the monitor is connected. */
  onEvent(listener: (event: QmpEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The connection to the monitor, made when it is needed and again when it was lost. */
  monitor(signal?: AbortSignal): Promise<QmpClient> {
    this.#monitor ??= this.#connect(signal).catch((error) => {
      this.#monitor = undefined;
      throw error;
    });
    return this.#monitor;
  }

  async execute(command: string, parameters?: Message, options?: Partial<AskOptions>) {
    const monitor = await this.#monitorWithin(options);
    return monitor.execute(command, parameters, options);
  }

  /** `running`, `paused`, `io-error`, `inmigrate`, `shutdown`, …: QEMU's RunState. */
  async status(options?: Partial<AskOptions>): Promise<string> {
    const answer = await this.execute('query-status', undefined, options);
    return String((answer as { status?: unknown }).status);
  }

  /** Waits `graceMs` for the process to end by itself, then ends it. Resolves when it is gone. */
  async end(graceMs: number): Promise<Ended> {
    if (graceMs > 0 && (await this.#endsWithin(graceMs))) return this.ended;
    // It writes out what the guest has flushed and leaves; one that hangs is killed.
    await this.execute('quit', undefined, { timeoutMs: QUIT_MS }).catch(() => undefined);
    if (await this.#endsWithin(QUIT_MS)) return this.ended;
    await signalProcess(this.identity, 'SIGKILL');
    if (await this.#endsWithin(KILL_MS)) return this.ended;
    throw new ApiError('internal', `QEMU (process ${this.identity.pid}) cannot be ended.`);
  }

  /** Lets go of it; it runs on. */
  release(): void {
    this.#listeners.clear();
    this.#monitor?.then((client) => client.close()).catch(() => undefined);
  }

  /** A QEMU that hangs takes connections and never greets. */
  async #monitorWithin({ timeoutMs, signal }: Partial<AskOptions> = {}): Promise<QmpClient> {
    const monitor = this.monitor(signal);
    if (timeoutMs === undefined) return monitor;
    const late = AbortSignal.timeout(timeoutMs);
    return abortable(monitor, late, () => undefined).catch((cause) => {
      if (cause !== late.reason) throw cause;
      throw this.#silent(cause);
    });
  }

  #silent(cause: unknown): ApiError {
    const message = `QEMU (process ${this.identity.pid}) does not answer.`;
    return new ApiError('guest_failed', message, { cause });
  }

  async #endsWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
    const gone = await Promise.race([this.ended.then(() => true), late]);
    timer.abort();
    return gone;
  }

  async #connect(signal: AbortSignal | undefined): Promise<QmpClient> {
    const { directory } = this.place;
    for (const end = performance.now() + MONITOR_MS; ; ) {
      signal?.throwIfAborted();
      if (this.#over) {
        throw new ApiError('guest_failed', `QEMU ended: ${await lastWords(directory)}`);
      }
      try {
        const client = await QmpClient.open(await connectSocket(directory, FILES.qmp), {
          timeoutMs: Math.max(1, end - performance.now()),
          ...(signal && { signal }),
        });
        client.on('event', (event) => {
          for (const listener of [...this.#listeners]) listener(event);
        });
        client.once('close', () => {
          this.#monitor = undefined;
        });
        return client;
      } catch (error) {
        signal?.throwIfAborted();
        const coming = error instanceof NotListening || error instanceof Disconnected;
        if (performance.now() > end || !coming) {
          // Somebody else may hold the monitor, or QEMU hangs.
          throw this.#silent(error);
        }
      }
      await sleep(4);
    }
  }
}
