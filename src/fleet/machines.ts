import { ApiError } from '../contract/errors.js';
import { canFork, type Engine, type MachineSpec } from '../engines/engine.js';
import type { Offer } from './choice.js';
import { Machine } from './machine.js';
import type { Connectors } from './session.js';
import type { Store } from './store/index.js';
import type { ComputerRecord } from './store/records.js';

/** The engines of this service by name, and those that new computers get. */
export interface EngineSet {
  readonly all: ReadonlyMap<string, Engine>;
  /** What a new computer gets when nothing else is said. */
  readonly preferred: string;
  /** Names of those that new computers may get; all if not given. */
  readonly offered?: readonly string[];
}

/** The computers that this process has to do with; a thousand stopped ones cost rows only. */
export class Machines implements Offer {
  readonly #machines = new Map<string, Machine>();
  readonly #engines: EngineSet;
  readonly #store: Store;
  readonly #connectors: Connectors;
  #detached = false;

  constructor(engines: EngineSet, store: Store, connectors: Connectors) {
    this.#engines = engines;
    this.#store = store;
    this.#connectors = connectors;
  }

  of(record: ComputerRecord): Machine {
    const known = this.#machines.get(record.id);
    if (known) return known;
    const machine = new Machine(record, {
      engine: this.engine(record.engine),
      store: this.#store,
      connectors: this.#connectors,
      copy: (spec, from, signal) => this.#copy(spec, from, signal),
      onRemoved: () => this.#machines.delete(record.id),
    });
    if (this.#detached) machine.detach();
    this.#machines.set(record.id, machine);
    return machine;
  }

  /** Undefined when nothing was asked of it since the service started. */
  known(id: string): Machine | undefined {
    return this.#machines.get(id);
  }

  all(): Iterable<Machine> {
    return this.#machines.values();
  }

  /** Ends what runs here without touching a machine: the service stops. */
  detach(): void {
    this.#detached = true;
    for (const machine of this.#machines.values()) machine.detach();
  }

  engine(name: string): Engine {
    const engine = this.#engines.all.get(name);
    if (engine) return engine;
    const names = [...this.#engines.all.keys()].join(', ');
    throw new ApiError(
      'unsupported',
      `This service has no engine ${JSON.stringify(name)}; it has: ${names}.`,
    );
  }

  engines(): Iterable<Engine> {
    return this.#engines.all.values();
  }

  /** Those that new computers may get, the preferred one first. */
  get offered(): Engine[] {
    const { all, preferred, offered = [...all.keys()] } = this.#engines;
    const names = [preferred, ...offered.filter((name) => name !== preferred)];
    return names.map((name) => this.engine(name));
  }

  offeredEngine(name: string): Engine {
    const engine = this.engine(name);
    if (this.offered.includes(engine)) return engine;
    const names = this.offered.map((other) => other.name).join(', ');
    const message = `This service makes no new computers with the engine ${JSON.stringify(name)}, only with: ${names}.`;
    throw new ApiError('unsupported', message);
  }

  /** Copies the computer `from` into a machine that is not there yet, or not whole. */
  async #copy(spec: MachineSpec, from: string, signal: AbortSignal): Promise<void> {
    const source = this.#store.computers.findById(from);
    if (source === undefined || source.status === 'deleting') throw sourceGone();
    const engine = this.engine(source.engine);
    if (!canFork(engine)) throw new ApiError('unsupported', `"${engine.name}" cannot copy.`);
    const machine = this.of(source);
    await machine.held(() => engine.fork(from, spec, signal), signal);
    this.known(spec.id)?.session.copied(machine.session);
  }
}

function sourceGone(): ApiError {
  return new ApiError('not_found', 'The computer to be copied was deleted; delete this one, too.');
}
