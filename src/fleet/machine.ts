import { ApiError } from '../contract/errors.js';
import type { Engine, MachineSpec, MachineState } from '../engines/engine.js';
import { Queue } from './queue.js';
import { ready } from './readiness.js';
import { type Connectors, Session } from './session.js';
import type { Store } from './store/index.js';
import { type ComputerRecord, hasDisk } from './store/records.js';

type StepKind = 'start' | 'restart' | 'stop' | 'remove';

interface Step {
  readonly kind: StepKind;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export interface MachineParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly connectors: Connectors;
  /** Copies the computer with the id `from` into the machine `spec`; idempotent. */
  copy(spec: MachineSpec, from: string, signal: AbortSignal): Promise<void>;
  /** Called when nothing of the machine is left. */
  onRemoved(): void;
}

/** A step that was given up because another one took its place. */
export class Superseded extends ApiError {
  constructor(message: string) {
    super('conflict', message);
  }
}

function stopping(): Superseded {
  return new Superseded('The service is stopping; it goes on at its start.');
}

const STOP_GRACE_MS = 3_000;
/** A guest whose processor is emulated takes half a minute to boot, and longer beside others. */
const READY_MS = { container: 90_000, vm: 90_000, emulated: 300_000 } as const;
/** Of those, an attempt to find it ready; a host may be busy with several that are emulated. */
const ATTEMPTS = {
  container: { first: 6_000, longest: 6_000 },
  vm: { first: 6_000, longest: 6_000 },
  emulated: { first: 6_000, longest: 30_000 },
} as const;

/**
 * One computer's lifecycle, and the only thing that changes its machine. The intent is in the store before anything is done, every engine call
 * is idempotent, and steps run one after the other: a crash at any point is finished later by
 * running the intended step again.
 */
export class Machine {
  readonly id: string;
  readonly session: Session;
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #steps = new Queue();
  readonly #copy: MachineParts['copy'];
  readonly #onRemoved: () => void;
  #current: Step | undefined;
  #epoch = 0;
  /** The service stops: what is asked from now on is not done any more. */
  #detached = false;
  /** Present while the machine has been started and is not ready yet. */
  #awaitingReady: AbortController | undefined;

  constructor(record: ComputerRecord, parts: MachineParts) {
    const { engine, store, connectors } = parts;
    this.id = record.id;
    this.#copy = parts.copy;
    this.#onRemoved = parts.onRemoved;
    this.#engine = engine;
    this.#store = store;
    this.session = new Session(engine, record, connectors);
  }

  /** True while a step runs or waits: what the engine says meanwhile is not the whole truth. */
  get busy(): boolean {
    return this.#current !== undefined;
  }

  /** Changes with every step's begin and end: news from before is no news after. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Resolves when the step that now runs has ended, however it ended. */
  async settled(): Promise<void> {
    await this.#current?.done.catch(() => undefined);
  }

  /** Does something to the machine while no step changes it and no button or key is held in it. */
  held<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.session.input.run(() => this.#steps.run(task, signal), signal);
  }

  /** Starts the machine and resolves when it is ready. The caller has written `starting`. */
  start(): Promise<void> {
    const current = this.#current;
    if (current?.kind === 'start' || current?.kind === 'restart') return current.done;
    return this.#run('start', (signal) => this.#start(signal));
  }

  /** Stops and starts it. The caller has written `starting`. */
  restart(): Promise<void> {
    if (this.#current?.kind === 'restart') return this.#current.done;
    this.#supersede('restarted');
    return this.#run('restart', async (signal) => {
      this.session.close();
      await this.#engine.stop(this.id, STOP_GRACE_MS, signal);
      await this.#start(signal);
    });
  }

  stop(): Promise<void> {
    if (this.#current?.kind === 'stop') return this.#current.done;
    this.#store.computers.change(this.id, 'stop');
    this.#supersede('stopped');
    return this.#run('stop', async (signal) => {
      this.session.close();
      await this.#engine.stop(this.id, STOP_GRACE_MS, signal);
      this.#store.computers.change(this.id, 'stopped');
    });
  }

  /** Removes the machine, then its row. */
  remove(): Promise<void> {
    if (this.#current?.kind === 'remove') return this.#current.done;
    this.#store.computers.change(this.id, 'remove');
    this.#supersede('deleted');
    return this.#run('remove', async (signal) => {
      this.session.close();
      await this.#engine.remove(this.id, signal);
      this.#store.computers.change(this.id, 'removed');
      this.#onRemoved();
    });
  }

  /**
   * The engine's news of a machine that is being started: one that ended will never be ready. The
   * engine is asked again, since the news may be from before the start.
   */
  observe(state: MachineState | undefined): void {
    const awaiting = this.#awaitingReady;
    if (state?.status === 'running' || awaiting === undefined) return;
    this.#engine
      .list(awaiting.signal)
      .then((states) => {
        const present = states.find(({ id }) => id === this.id);
        if (present?.status === 'running') return;
        const reason = present?.reason ?? 'Its machine ended while it was starting.';
        awaiting.abort(new ApiError('guest_failed', reason));
      })
      // An engine that does not answer shows by the waiting itself.
      .catch(() => undefined);
  }

  /** Ends what runs here without touching the machine: the service stops. */
  detach(): void {
    this.#detached = true;
    this.#current?.abort.abort(stopping());
    this.session.close();
  }

  #supersede(how: string): void {
    this.#current?.abort.abort(new Superseded(`The computer was ${how} meanwhile.`));
  }

  #run(kind: StepKind, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const abort = new AbortController();
    if (this.#detached) abort.abort(stopping());
    this.#epoch += 1;
    const done = this.#steps
      .run(() => {
        abort.signal.throwIfAborted();
        return work(abort.signal);
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted) this.#failed(error);
        throw abort.signal.aborted ? abort.signal.reason : error;
      })
      .finally(() => {
        this.#epoch += 1;
        if (this.#current?.abort === abort) this.#current = undefined;
      });
    // Whoever asked awaits it; a step nobody awaits any more has recorded its failure.
    done.catch(() => undefined);
    this.#current = { kind, abort, done };
    return done;
  }

  async #start(signal: AbortSignal): Promise<void> {
    const record = this.#store.computers.findById(this.id);
    if (record === undefined)
      throw new ApiError('not_found', 'The computer was deleted meanwhile.');
    const isCopy = record.copy_of !== null;
    if (isCopy) await this.#become(record, record.copy_of, signal);
    // A machine that has a disk is never made anew: that would hide its loss.
    else if (!hasDisk(record)) await this.#engine.create(machineSpec(record), signal);
    if (isCopy && record.copy_runs === 0) return;
    if (!isCopy) this.session.started(record);
    await this.#engine.start(this.id, signal, () => this.session.anticipate());
    await this.#ready(signal);
    this.#store.computers.change(this.id, 'ready');
  }

  /** The machine becomes a copy of the computer `source`; one that is not to run is stopped. */
  async #become(record: ComputerRecord, source: string, signal: AbortSignal): Promise<void> {
    await this.#copy(machineSpec(record), source, signal);
    // What was copied is not what was meant if the source was started meanwhile.
    if (record.copy_runs === 0) await this.#engine.stop(this.id, 0, signal);
    this.#store.transaction(() => {
      this.#store.computers.setCopied(this.id);
      if (record.copy_runs === 0) this.#store.computers.change(this.id, 'copied');
    });
  }

  async #ready(signal: AbortSignal): Promise<void> {
    const controller = new AbortController();
    const onAbort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#awaitingReady = controller;
    try {
      const { isolation } = this.#engine.features;
      await ready(this.session, READY_MS[isolation], controller.signal, ATTEMPTS[isolation]);
      signal.throwIfAborted();
    } catch (error) {
      // A desktop that never came up is of no use; stopped, it can be started again.
      if (!signal.aborted) await this.#engine.stop(this.id, 0).catch(() => undefined);
      throw error;
    } finally {
      this.#awaitingReady = undefined;
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Records the failure. While the engine is away all stays intended: the reconciler goes on. */
  #failed(error: unknown): void {
    this.session.close();
    const reason = error instanceof Error ? error.message : String(error);
    const isAway = error instanceof ApiError && error.code === 'engine_unavailable';
    this.#store.computers.change(this.id, isAway ? 'delayed' : 'failed', reason);
  }
}

function machineSpec(record: ComputerRecord): MachineSpec {
  return {
    id: record.id,
    ownerId: record.owner_id,
    projectId: record.project_id,
    os: record.os,
    image: record.image,
    cpu: record.cpu,
    ram: record.ram,
    gpu: record.gpu,
    resolution: { width: record.width, height: record.height },
    authorizedKey: record.public_key,
  };
}
