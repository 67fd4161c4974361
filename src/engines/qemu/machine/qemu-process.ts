import { ApiError } from '../../../contract/errors.js';
import { resolvesWithin, within } from '../../../lib/async/deadline.js';
import { sleep } from '../../../lib/async/sleep.js';
import { type ProcessIdentity, signalProcess } from '../../../lib/process/identity.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { hidePaths } from '../../../lib/text/hide-paths.js';
import { NotListening } from '../../socket-file.js';
import { PROGRAM, type QemuHost } from '../host.js';
import { FILES } from '../layout.js';
import { QmpClient, type QmpEvent } from '../monitor/client.js';
import type { Message } from '../monitor/json-lines.js';
import { Disconnected, type RequestOptions } from '../monitor/json-peer.js';
import type { MachineNetwork } from '../network/plan.js';
import type { Account } from '../process/account.js';
import { hardeningArguments } from '../process/command.js';
import { lastLogLines } from '../process/log.js';
import { type ProcessExit, waitForExit } from '../process/process-record.js';
import { type SpawnRequest, spawnProcess } from '../process/spawn.js';
import type { ServedVolumes } from '../process/volume-server.js';
import { connectSocket } from '../socket.js';

/** QEMU usually creates its socket within 10 ms; on a busy host it can take much longer. */
const MONITOR_MS = 15_000;
const MONITOR_POLL_MS = 4;
const QUIT_MS = 3_000;
const KILL_MS = 10_000;

/** A QEMU's working directory and the user it runs as. */
export interface Workspace {
  readonly directory: string;
  readonly account: Account;
}

export interface QemuStartOptions extends Workspace {
  /** QEMU's arguments after the hardening ones. */
  readonly arguments: readonly string[];
  readonly acceleration: 'kvm' | 'tcg';
  readonly network: MachineNetwork;
  /** A descriptor that QEMU inherits as 3. */
  readonly inherit?: number;
  /** See {@link QemuProcess.hadConnections}. */
  readonly hadConnections: boolean;
  /** The guest's port to relay connections to. */
  readonly relayPort?: number;
  readonly volumes?: ServedVolumes | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called first, so that the caller can record the process. */
  onSpawned(identity: ProcessIdentity): Promise<void>;
}

/** A QEMU process, started by this service or an earlier one, and the connection to its monitor. */
export class QemuProcess {
  readonly workspace: Workspace;
  readonly identity: ProcessIdentity;
  /** The network with its last refresh; undefined if an earlier service started the process. */
  network: MachineNetwork | undefined;
  /** Never rejects. */
  readonly exited: Promise<ProcessExit>;
  readonly #listeners = new Set<(event: QmpEvent) => void>();
  #monitor: Promise<QmpClient> | undefined;
  #hasExited = false;
  #hadConnections = false;

  /**
   * Resolves when QEMU accepts commands. Throws ApiError `guest_failed` with QEMU's message, or
   * `engine_unavailable` if QEMU is not there any more.
   */
  static async start(host: QemuHost, options: QemuStartOptions): Promise<QemuProcess> {
    const { directory, account, signal, inherit, relayPort } = options;
    const request: SpawnRequest = {
      directory,
      account,
      program: PROGRAM,
      args: [...hardeningArguments, ...options.arguments],
      network: options.network,
      volumes: options.volumes,
      acceleration: options.acceleration,
      ...(inherit !== undefined && { inherit }),
      ...(relayPort !== undefined && { relayPort }),
      ...(signal && { signal }),
    };
    const { identity, exited } = await spawnProcess(request).catch(async (cause) => {
      signal?.throwIfAborted();
      await host.checkAgain();
      throw new ApiError('guest_failed', `QEMU did not start: ${hidePaths(errorMessage(cause))}`, {
        cause,
      });
    });
    const qemu = new QemuProcess(options, identity, exited);
    qemu.#hadConnections = options.hadConnections;
    qemu.network = options.network;
    try {
      await options.onSpawned(identity);
      await qemu.monitor(signal);
      return qemu;
    } catch (error) {
      await qemu.end(0);
      signal?.throwIfAborted();
      await host.checkAgain();
      throw error;
    }
  }

  /** Takes over a process that an earlier service started. */
  static adopt(workspace: Workspace, identity: ProcessIdentity): QemuProcess {
    const qemu = new QemuProcess(workspace, identity, waitForExit(workspace.directory, identity));
    qemu.#hadConnections = true;
    return qemu;
  }

  private constructor(
    { directory, account }: Workspace,
    identity: ProcessIdentity,
    exited: Promise<ProcessExit>,
  ) {
    this.workspace = { directory, account };
    this.identity = identity;
    this.exited = exited.catch((): ProcessExit => ({ kind: 'unknown' }));
    this.exited.then(() => {
      this.#hasExited = true;
      this.#monitor?.then((client) => client.close()).catch(() => undefined);
    });
  }

  /** The guest may have had connections before: of an earlier service, or of the saved machine. */
  get hadConnections(): boolean {
    return this.#hadConnections;
  }

  /** The guest has ended all connections that it had. */
  connectionsEnded(): void {
    this.#hadConnections = false;
  }

  /** False once the process is known to have exited. */
  get alive(): boolean {
    return !this.#hasExited;
  }

  /** Adds a listener for QEMU's events, which arrive only while the monitor is connected. */
  onEvent(listener: (event: QmpEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The connection to the monitor; opened at first use and after it was lost. */
  monitor(signal?: AbortSignal): Promise<QmpClient> {
    this.#monitor ??= this.#connect(signal).catch((error) => {
      this.#monitor = undefined;
      throw error;
    });
    return this.#monitor;
  }

  async execute(command: string, parameters?: Message, options?: Partial<RequestOptions>) {
    const monitor = await this.#monitorWithin(options);
    return monitor.execute(command, parameters, options);
  }

  /** `running`, `paused`, `io-error`, `inmigrate`, `shutdown`, …: QEMU's RunState. */
  async status(options?: Partial<RequestOptions>): Promise<string> {
    const answer = await this.execute('query-status', undefined, options);
    return String((answer as { status?: unknown }).status);
  }

  /** Waits `graceMs` for the process to exit by itself, then ends it. Resolves when it has exited. */
  async end(graceMs: number): Promise<ProcessExit> {
    if (graceMs > 0 && (await resolvesWithin(this.exited, graceMs))) return this.exited;
    // `quit` flushes the disk; a QEMU that hangs is killed.
    await this.execute('quit', undefined, { timeoutMs: QUIT_MS }).catch(() => undefined);
    if (await resolvesWithin(this.exited, QUIT_MS)) return this.exited;
    await signalProcess(this.identity, 'SIGKILL');
    if (await resolvesWithin(this.exited, KILL_MS)) return this.exited;
    throw new ApiError('internal', `QEMU (process ${this.identity.pid}) does not exit.`, {
      remedy: `sudo kill -9 ${this.identity.pid}`,
    });
  }

  /** Closes the monitor and drops all listeners; the process keeps running. */
  release(): void {
    this.#listeners.clear();
    this.#monitor?.then((client) => client.close()).catch(() => undefined);
  }

  /** A QEMU that hangs accepts connections but never sends its greeting. */
  async #monitorWithin({ timeoutMs, signal }: Partial<RequestOptions> = {}): Promise<QmpClient> {
    const monitor = this.monitor(signal);
    if (timeoutMs === undefined) return monitor;
    return within(monitor, { ms: timeoutMs, onTimeout: () => this.#unresponsive() });
  }

  #unresponsive(cause?: unknown): ApiError {
    const message = `QEMU (process ${this.identity.pid}) does not answer.`;
    return new ApiError('guest_failed', message, { cause });
  }

  async #connect(signal: AbortSignal | undefined): Promise<QmpClient> {
    const { directory } = this.workspace;
    for (const end = performance.now() + MONITOR_MS; ; ) {
      signal?.throwIfAborted();
      if (this.#hasExited) {
        throw new ApiError('guest_failed', `QEMU exited: ${await lastLogLines(directory)}`);
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
        const isStarting = error instanceof NotListening || error instanceof Disconnected;
        // QEMU hangs, or its monitor has another client.
        if (performance.now() > end || !isStarting) throw this.#unresponsive(error);
      }
      await sleep(MONITOR_POLL_MS);
    }
  }
}
