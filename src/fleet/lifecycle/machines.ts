import { ApiError } from '../../contract/errors.js';
import { type Engine, type Isolation, isLabelling } from '../../engines/engine.js';
import { placeNew } from '../cluster/place-new.js';
import type { EngineOffer } from '../computers/placement.js';
import type { MachineSessions } from '../sessions/machine-sessions.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { Labels } from './labels.js';
import { Machine } from './machine.js';

/** The engines of this service by name, and those that new computers get. */
export interface EngineSet {
  readonly all: ReadonlyMap<string, Engine>;
  /** The default for new computers. */
  readonly preferred: string;
  /** Names of those that new computers may get; all if not given. */
  readonly offered?: readonly string[];
}

/** The machines that this process has used. */
export class Machines implements EngineOffer {
  readonly labels: Labels;
  readonly #machines = new Map<string, Machine>();
  readonly #engines: EngineSet;
  readonly #store: Store;
  readonly #sessions: MachineSessions;
  readonly #removed: ((id: string, engine: Engine) => void | Promise<void>)[] = [];
  #detached = false;

  constructor(engines: EngineSet, store: Store, sessions: MachineSessions) {
    this.#engines = engines;
    this.#store = store;
    this.#sessions = sessions;
    this.labels = new Labels(store);
  }

  of(record: ComputerRecord): Machine {
    const known = this.#machines.get(record.id);
    if (known) return known;
    const engine = this.engine(record.engine);
    const machine = new Machine(record, {
      engine,
      store: this.#store,
      session: this.#sessions.of(engine, record),
      place: (present) => placeNew(engine, present, this.#store),
      label: (present) => (isLabelling(engine) ? this.labels.of(present) : undefined),
      onRemoved: async () => {
        this.#machines.delete(record.id);
        await Promise.all(this.#removed.map((listener) => listener(record.id, engine)));
      },
    });
    if (this.#detached) machine.detach();
    this.#machines.set(record.id, machine);
    return machine;
  }

  /** A computer or its project has a new name or other settings: its machine gets another label. */
  relabel({ id, engine: name }: Pick<ComputerRecord, 'id' | 'engine'>): void {
    const engine = this.#engines.all.get(name);
    if (engine) this.labels.renew(engine, id);
  }

  /** Calls `listener` with the id of every computer that is removed. */
  onRemoved(listener: (id: string, engine: Engine) => void | Promise<void>): void {
    this.#removed.push(listener);
  }

  /** Undefined for a machine that was not used since the service started. */
  known(id: string): Machine | undefined {
    return this.#machines.get(id);
  }

  all(): Iterable<Machine> {
    return this.#machines.values();
  }

  /** Aborts all steps without touching the machines: the service stops. */
  detach(): void {
    this.#detached = true;
    this.labels.close();
    for (const machine of this.#machines.values()) machine.detach();
  }

  engine(name: string): Engine {
    const engine = this.#engines.all.get(name);
    if (engine) return engine;
    const names = [...this.#engines.all.keys()].join(', ');
    const message = `This service has no engine ${JSON.stringify(name)}.`;
    throw new ApiError('unsupported', message, { remedy: `Use one that it has: ${names}` });
  }

  /** The machine's isolation if it is known, else its engine's. */
  isolation({ id, engine }: ComputerRecord): Isolation {
    const { isolation } = this.known(id)?.session.described ?? this.engine(engine).capabilities;
    return isolation;
  }

  engines(): Iterable<Engine> {
    return this.#engines.all.values();
  }

  /** The engines for new computers, the preferred one first. */
  get offered(): Engine[] {
    const { all, preferred, offered = [...all.keys()] } = this.#engines;
    const names = [preferred, ...offered.filter((name) => name !== preferred)];
    return names.map((name) => this.engine(name));
  }

  offeredEngine(name: string): Engine {
    const engine = this.engine(name);
    if (this.offered.includes(engine)) return engine;
    const names = this.offered.map((other) => other.name).join(', ');
    const message = `This service creates no new computers with the engine ${JSON.stringify(name)}.`;
    throw new ApiError('unsupported', message, { remedy: `Use one of: ${names}` });
  }
}
