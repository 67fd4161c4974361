import type { Engine } from '../engines/engine.js';
import { Access } from './access.js';
import { autoStop } from './auto-stop.js';
import { Computers } from './computers.js';
import { Connections } from './connections.js';
import { Control } from './control.js';
import { Ledger } from './ledger.js';
import { type EngineSet, Machines } from './machines.js';
import { Projects } from './projects.js';
import { type Log, Reconciler } from './reconcile.js';
import { type Connectors, realConnectors } from './session.js';
import type { Store, StoreState } from './store/index.js';
import { Streams } from './streams.js';
import { Tickets } from './tickets.js';
import { watchEngine } from './watcher.js';

/** Engines are asked no more often than this. */
const FRESH_MS = 2_000;

/** Whether an engine can be used; if not, the detail has the reason and what mends it. */
export interface EngineProbe {
  readonly name: string;
  readonly usable: boolean;
  readonly detail: string;
}

export interface FleetOptions {
  readonly store: Store;
  readonly engines: EngineSet;
  /** Computers that an owner may run at once, unless the owner has a limit of its own. */
  readonly maxRunning: number;
  readonly log: Log;
  /** May streams go to addresses that are not on the public internet? No if left out. */
  readonly allowPrivateRtmp?: boolean;
  readonly connectors?: Connectors;
}

/** The domain: who owns what, what it is meant to be, and everything that is done with it. */
export class Fleet {
  readonly access: Access;
  readonly projects: Projects;
  readonly computers: Computers;
  readonly control: Control;
  readonly ledger: Ledger;
  readonly connections: Connections;
  readonly streams: Streams;
  readonly tickets = new Tickets();
  readonly #machines: Machines;
  readonly #store: Store;
  readonly #stopping = new AbortController();
  readonly #background: Promise<void>[] = [];
  readonly #autoStop: { stop(): void };
  #probes: Promise<EngineProbe[]> | undefined;
  #probedAt = 0;

  constructor(options: FleetOptions) {
    const { store, engines, maxRunning, log, connectors = realConnectors } = options;
    this.#store = store;
    this.#machines = new Machines(engines, store, connectors);
    this.access = new Access(store);
    this.access.onRemoved((keyId) => this.tickets.revoke(keyId));
    this.computers = new Computers(store, this.#machines, maxRunning);
    this.projects = new Projects(store, this.computers);
    this.ledger = new Ledger(store, log);
    this.control = new Control(store, this.#machines);
    const rules = { allowPrivate: options.allowPrivateRtmp ?? false };
    this.connections = new Connections(store, rules);
    this.streams = new Streams({
      control: this.control,
      connections: this.connections,
      rules,
      log,
    });
    const reconciler = new Reconciler(store, this.#machines, log);
    for (const engine of engines.all.values()) {
      const { name } = engine;
      const matters = () => name === engines.preferred || usesEngine(store, name);
      const watching = watchEngine(engine, reconciler, log, this.#stopping.signal, matters);
      this.#background.push(watching);
    }
    this.#autoStop = autoStop({ store, machines: this.#machines, ledger: this.ledger, log });
  }

  /** What each engine says of itself; asked at most every two seconds, however many ask here. */
  probes(): Promise<EngineProbe[]> {
    if (this.#probes === undefined || Date.now() - this.#probedAt > FRESH_MS) {
      this.#probes = Promise.all([...this.#machines.engines()].map(probeOf));
      this.#probedAt = Date.now();
    }
    return this.#probes;
  }

  /** Can the store be read and written, and has its disk room for more? */
  storeState(): StoreState {
    const { failure } = this.ledger;
    const state = this.#store.state();
    if (!state.usable || failure === undefined) return state;
    return { usable: false, detail: `it cannot be written: ${failure}` };
  }

  /** Lets go of everything; the machines go on running. */
  async close(): Promise<void> {
    this.#autoStop.stop();
    this.#stopping.abort();
    this.#machines.detach();
    await this.streams.close();
    await Promise.all(this.#background);
    await Promise.all([...this.#machines.engines()].map((engine) => engine.close?.()));
    this.ledger.close();
    this.#store.close();
  }
}

async function probeOf(engine: Engine): Promise<EngineProbe> {
  const probe = await engine.probe();
  const detail = probe.usable ? probe.detail : `${probe.reason}; mend it with: ${probe.remedy}`;
  return { name: engine.name, usable: probe.usable, detail };
}

function usesEngine(store: Store, name: string): boolean {
  return store.computers.listAll().some(({ engine }) => engine === name);
}
