import { ApiError } from '../contract/errors.js';
import type { Engine } from '../engines/engine.js';
import { Machine } from './machine.js';
import type { Connectors } from './session.js';
import type { Store } from './store/index.js';
import type { ComputerRecord } from './store/records.js';

/** The engines of this service by name, and the one that new computers get. */
export interface EngineSet {
  readonly all: ReadonlyMap<string, Engine>;
  readonly preferred: string;
}

/** The computers that this process has to do with; a thousand stopped ones cost rows only. */
export class Machines {
  readonly #machines = new Map<string, Machine>();
  readonly #engines: EngineSet;
  readonly #store: Store;
  readonly #connectors: Connectors;

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
      onRemoved: () => this.#machines.delete(record.id),
    });
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

  engine(name: string): Engine {
    const engine = this.#engines.all.get(name);
    if (engine) return engine;
    const names = [...this.#engines.all.keys()].join(', ');
    throw new ApiError('unsupported', `This service has no engine "${name}"; it has: ${names}.`);
  }

  engines(): Iterable<Engine> {
    return this.#engines.all.values();
  }

  get preferredEngine(): string {
    return this.#engines.preferred;
  }
}
