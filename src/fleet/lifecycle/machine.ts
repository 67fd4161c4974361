import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../contract/errors.js';
import { type Clustered, isClustered } from '../../engines/clustered.js';
import {
  type Engine,
  isSnapshotting,
  type MachineLabel,
  type MachinePlacement,
  type MachineSpec,
  type MachineState,
} from '../../engines/engine.js';
import { onAbort } from '../../lib/async/abort.js';
import { hidePaths } from '../../lib/text/hide-paths.js';
import { LostMachine } from '../errors/lost-machine.js';
import { publicMessage } from '../errors/public-message.js';
import type { Session } from '../sessions/session.js';
import { configure } from '../setup/configure.js';
import { resizeScreen } from '../setup/resize-screen.js';
import { SetupFailed } from '../setup/setup-failed.js';
import type { Store } from '../store/index.js';
import { type ComputerRecord, hasDisk } from '../store/records.js';
import type { Occasion } from './lifecycle.js';
import { machineSize, wantedSize } from './machine-size.js';
import { diskSource, machineSpec } from './machine-spec.js';
import { READINESS, ready, readyPlace } from './readiness.js';
import { Steps } from './steps.js';

export interface MachineParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly session: Session;
  /** Where its machine is to be created. */
  place(record: ComputerRecord): Promise<MachinePlacement | undefined>;
  /** The label of its machine; undefined for an engine without labels. */
  label(record: ComputerRecord): MachineLabel | undefined;
  /** Called when nothing of the machine is left. */
  onRemoved(): Promise<void>;
}

const STOP_GRACE_MS = 3_000;

/**
 * One computer's lifecycle; nothing else changes its machine. The intent is stored before each step,
 * every engine call is idempotent, and steps run one at a time: after a crash at any point, running
 * the intended step again completes it.
 */
export class Machine {
  readonly id: string;
  readonly session: Session;
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #steps = new Steps((error) => this.#failed(error));
  readonly #place: MachineParts['place'];
  readonly #label: MachineParts['label'];
  readonly #onRemoved: () => Promise<void>;
  /** Present while the machine has been started and is not ready yet. */
  #awaitingReady: AbortController | undefined;

  constructor(record: ComputerRecord, parts: MachineParts) {
    const { engine, store, session } = parts;
    this.id = record.id;
    this.#place = parts.place;
    this.#label = parts.label;
    this.#onRemoved = parts.onRemoved;
    this.#engine = engine;
    this.#store = store;
    this.session = session;
  }

  /** True while a step runs or waits; the engine's reports are incomplete then. */
  get busy(): boolean {
    return this.#steps.busy;
  }

  /**
   * Gives a running machine the size of its row, as far as that needs no restart; what fails waits for
   * it. So does less memory, without which programs could be ended.
   */
  resize(signal: AbortSignal): Promise<void> {
    return this.#steps.between(async () => {
      const record = this.#store.computers.findById(this.id);
      if (record?.status !== 'running') return;
      const [present, wanted] = [machineSize(record), wantedSize(record)];
      const next = { ...present, cpu: wanted.cpu, ram: Math.max(present.ram, wanted.ram) };
      const later = () => 'next start' as const;
      const when = isDeepStrictEqual(next, present)
        ? later()
        : await this.#engine.resize(this.id, next, signal).catch(later);
      const { resolution } = wanted;
      const isResized =
        !isDeepStrictEqual(resolution, present.resolution) &&
        (await resizeScreen(this.session, resolution, signal).catch(() => false));
      signal.throwIfAborted();
      const size = { ...(when === 'now' ? next : present), ...(isResized && { resolution }) };
      this.#store.computers.setMachineSize(this.id, JSON.stringify(size));
    }, signal);
  }

  /** Changes when a step begins or ends; engine reports from an earlier epoch are outdated. */
  get epoch(): number {
    return this.#steps.epoch;
  }

  /** Resolves when the current step has succeeded or failed. */
  settled(): Promise<void> {
    return this.#steps.settled();
  }

  /** Runs `task` while no step runs and no button or key is held. */
  held<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.session.input.run(() => this.between(task, signal), signal);
  }

  /** Runs `task` while no step runs. */
  between<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#steps.between(task, signal);
  }

  /** Starts the machine and resolves when it is ready. The caller has written `starting`. */
  start(): Promise<void> {
    return (
      this.#steps.current('start', 'restart', 'reset') ??
      this.#steps.run('start', (signal) => this.#start(signal))
    );
  }

  /** Stops and starts it. The caller has written `starting`. */
  restart(): Promise<void> {
    const current = this.#steps.current('restart');
    if (current) return current;
    this.#steps.supersede('restarted');
    return this.#steps.run('restart', async (signal) => {
      this.session.close();
      await this.#engine.stop(this.id, STOP_GRACE_MS, signal);
      await this.#start(signal);
    });
  }

  /**
   * Puts it back to the saved disk of its row, and starts it if its status says so. Every step that
   * follows an interrupted reset completes it first.
   */
  reset(): Promise<void> {
    return this.#steps.run('reset', async (signal) => {
      this.session.close();
      if (this.#store.computers.findById(this.id)?.status === 'starting') {
        return this.#start(signal);
      }
      await this.#completeReset(signal);
      this.#storeResult(['stopped']);
    });
  }

  /** `reason`: the `status_reason` of the stopped computer. */
  stop(reason: string | null = null): Promise<void> {
    const current = this.#steps.current('stop');
    if (current) return current;
    const isStored = this.#storeIntent('stop', reason);
    this.#steps.supersede('stopped');
    return this.#steps.run('stop', async (signal) => {
      this.session.close();
      await this.#engine.stop(this.id, STOP_GRACE_MS, signal);
      await this.#completeReset(signal);
      this.#storeResult(isStored ? ['stopped'] : ['stop', 'stopped'], reason);
    });
  }

  /**
   * Moves it to another member of its cluster. A running one is stopped for that and started there, or
   * where it was if it could not be moved: a crash on the way leaves the intent to start it.
   */
  async move(engine: Clustered, member: string): Promise<void> {
    const record = this.#store.computers.findById(this.id);
    const isRunning = record?.status === 'running';
    const reason = `It is being moved to the cluster member "${member}".`;
    if (isRunning) this.#store.computers.change(this.id, 'restart', reason);
    let failure: unknown;
    await this.#steps.run('move', async (signal) => {
      this.session.close();
      try {
        await this.#engine.stop(this.id, isRunning ? STOP_GRACE_MS : 0, signal);
      } catch (error) {
        signal.throwIfAborted();
        // Of one whose move was interrupted there may be only the copy, which the move completes.
        if (isRunning || !isEngineAway(error)) throw error;
      }
      try {
        await engine.move(this.id, member, signal).catch((error) => {
          // It never had a machine: its first start creates one there.
          if (record === undefined || hasDisk(record) || !isNotFound(error)) throw error;
        });
        this.#store.computers.setMember(this.id, member);
      } catch (error) {
        signal.throwIfAborted();
        failure = error;
      }
      if (isRunning) await this.#start(signal);
    });
    if (failure !== undefined) throw failure;
  }

  /** Removes the machine, then its row. `reason`: why the service does it without a request. */
  remove(reason: string | null = null): Promise<void> {
    const current = this.#steps.current('remove');
    if (current) return current;
    const isStored = this.#storeIntent('remove', reason);
    this.#steps.supersede('deleted');
    return this.#steps.run('remove', async (signal) => {
      this.session.close();
      await this.#engine.remove(this.id, signal);
      this.#storeResult(isStored ? ['removed'] : ['remove', 'removed']);
      await this.#onRemoved();
    });
  }

  /**
   * Handles an engine report about a machine that is being started: one that has ended never
   * becomes ready. Queries the engine again, because the report may be older than the start.
   */
  observe(state: MachineState | undefined): void {
    const awaiting = this.#awaitingReady;
    if (state?.status === 'running' || awaiting === undefined) return;
    this.#engine
      .list(awaiting.signal)
      .then((states) => {
        const present = states.find(({ id }) => id === this.id);
        if (present?.status === 'running' || present?.status === 'unreachable') return;
        const reason = present?.reason ?? 'Its machine ended while it was starting.';
        awaiting.abort(new ApiError('guest_failed', hidePaths(reason)));
      })
      // If the engine does not answer, waiting for readiness fails too.
      .catch(() => undefined);
  }

  /** Aborts the current step without touching the machine: the service stops. */
  detach(): void {
    this.#steps.detach();
    this.session.close();
  }

  /**
   * Stores the intent to stop or remove. On a full disk that may fail: the machine is stopped or
   * removed all the same, since that frees space. Returns whether it is stored.
   */
  #storeIntent(ask: 'stop' | 'remove', reason: string | null): boolean {
    return this.#store.writeToFreeSpace(() => this.#store.computers.change(this.id, ask, reason));
  }

  #storeResult(occasions: readonly Occasion[], reason: string | null = null): void {
    const change = () => {
      for (const occasion of occasions) this.#store.computers.change(this.id, occasion, reason);
    };
    // Once more for the error.
    if (!this.#store.writeToFreeSpace(change)) change();
  }

  async #start(signal: AbortSignal): Promise<void> {
    const record = this.#store.computers.findById(this.id);
    if (record === undefined)
      throw new ApiError('not_found', 'The computer was deleted meanwhile.', {
        remedy: 'See: vc ls --all',
      });
    const resetFrom = await this.#completeReset(signal);
    // Never recreate a machine that had a disk: that would hide the loss of the disk.
    if (!hasDisk(record)) await this.#create(record, signal);
    // It may have been renamed since its last start.
    else await this.#withDisk(record, () => this.#setHostName(record));
    if (record.copied_at === null && record.copy_runs === 0) {
      // A copy that does not run is complete.
      this.#store.transaction(() => {
        this.#store.computers.setCopied(this.id);
        this.#store.computers.change(this.id, 'copied');
      });
      return;
    }
    const from = resetFrom ?? (hasDisk(record) ? null : record.source);
    if (from !== null && this.#store.savedDisks.find(from)?.memory === 1) {
      // The pointer of a copy is where the original's was.
      this.session.copied(resetFrom === undefined ? this.session : undefined);
    } else this.session.started(record);
    const isResized = record.machine_size !== null;
    const start = async () => {
      if (isResized) await this.#engine.resize(this.id, wantedSize(record), signal);
      await this.#engine.start(this.id, signal, () => this.session.anticipate());
    };
    await this.#withDisk(record, start);
    await this.#ready(signal);
    if (isResized) {
      this.#store.computers.setMachineSize(this.id, JSON.stringify(wantedSize(record)));
    }
    this.#store.computers.change(this.id, 'ready');
  }

  /** Completes a reset of which the row tells; returns the id of the saved disk. */
  async #completeReset(signal: AbortSignal): Promise<string | null | undefined> {
    const record = this.#store.computers.findById(this.id);
    if (record === undefined || record.reset_to === null) return undefined;
    const from = record.reset_to || record.source;
    // One without a disk is created from it.
    if (hasDisk(record) && isSnapshotting(this.#engine)) {
      await this.#engine.reset({ ...this.#spec(record), from: diskSource(from) }, signal);
    }
    this.#store.computers.setWasReset(this.id);
    return from;
  }

  async #setHostName(record: ComputerRecord): Promise<void> {
    await this.#engine.setHostName?.(this.id, machineSpec(record).hostName);
  }

  /** Throws LostMachine if the machine of a computer that had a disk is gone. */
  async #withDisk(record: ComputerRecord, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw isNotFound(error) && hasDisk(record) ? new LostMachine(record, error) : error;
    }
  }

  #spec(record: ComputerRecord): MachineSpec {
    return { ...machineSpec(record), label: this.#label(record) };
  }

  async #create(record: ComputerRecord, signal: AbortSignal): Promise<void> {
    const placement = await this.#place(record);
    await this.#engine.create({ ...this.#spec(record), placement }, signal);
    if (!isClustered(this.#engine)) return;
    const member = await this.#engine.memberOf(this.id, signal);
    if (member !== undefined) this.#store.computers.setMember(this.id, member);
  }

  async #ready(signal: AbortSignal): Promise<void> {
    const controller = new AbortController();
    const dispose = onAbort(signal, (reason) => controller.abort(reason));
    this.#awaitingReady = controller;
    let leave = () => {};
    try {
      const { isolation } = await this.session.describe(controller.signal);
      const { withinMs, attempt } = READINESS[isolation];
      leave = await readyPlace(controller.signal);
      await ready(this.session, withinMs, controller.signal, attempt);
      leave();
      await configure(
        this.session,
        { id: this.id, store: this.#store, withinMs },
        controller.signal,
      );
      signal.throwIfAborted();
    } catch (error) {
      // Stop a machine that never became ready, so that it can be started again. That of a setup that
      // failed has files to look at.
      const graceMs = error instanceof SetupFailed ? STOP_GRACE_MS : 0;
      if (!signal.aborted) await this.#engine.stop(this.id, graceMs).catch(() => undefined);
      throw error;
    } finally {
      leave();
      this.#awaitingReady = undefined;
      dispose();
    }
  }

  /** Records the failure. If the engine is away, the intent stays and the reconciler resumes it. */
  #failed(error: unknown): void {
    this.session.close();
    const reason = error instanceof LostMachine ? error.reason : publicMessage(error);
    this.#store.computers.change(this.id, isEngineAway(error) ? 'delayed' : 'failed', reason);
  }
}

function isEngineAway(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'engine_unavailable';
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}
