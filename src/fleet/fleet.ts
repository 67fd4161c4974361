import type { ImageList } from '../contract/resources.js';
import type { Engine } from '../engines/engine.js';
import { listStoredImages } from '../engines/stored-images.js';
import { ApiKeys } from './accounts/api-keys.js';
import { OwnerDeletion } from './accounts/owner-deletion.js';
import { Owners } from './accounts/owners.js';
import { Tickets } from './accounts/tickets.js';
import { Actions } from './actions/actions.js';
import { RunningComputers } from './actions/running-computers.js';
import { AuditLog } from './audit/audit-log.js';
import { Computers } from './computers/computers.js';
import { Idempotency } from './computers/idempotency.js';
import { Projects } from './computers/projects.js';
import { Quota } from './computers/quota.js';
import { Usage } from './computers/usage.js';
import { Events } from './events/events.js';
import { JobWatch } from './events/job-watch.js';
import { autoStop } from './lifecycle/auto-stop.js';
import { type EngineSet, Machines } from './lifecycle/machines.js';
import { type Log, Reconciler } from './lifecycle/reconcile.js';
import { watchEngine } from './lifecycle/watcher.js';
import { type Connectors, realConnectors } from './sessions/session.js';
import type { Store, StoreState } from './store/index.js';
import { StreamTargets } from './streams/stream-targets.js';
import { Streams } from './streams/streams.js';

/** Engines are probed at most this often. */
const FRESH_MS = 2_000;

/** Whether an engine can be used; if not, the detail has the reason and the remedy. */
export interface EngineProbe {
  readonly name: string;
  readonly usable: boolean;
  readonly detail: string;
}

export interface FleetOptions {
  readonly store: Store;
  readonly engines: EngineSet;
  /** Limit of running computers per owner, unless the owner has its own. */
  readonly maxRunning: number;
  readonly log: Log;
  /** Allow streams to addresses outside the public internet. Default: false. */
  readonly allowPrivateRtmp?: boolean;
  readonly connectors?: Connectors;
}

/** The domain: owners, projects, computers and the operations on them. */
export class Fleet {
  readonly apiKeys: ApiKeys;
  readonly owners: Owners;
  readonly projects: Projects;
  readonly computers: Computers;
  readonly actions: Actions;
  readonly auditLog: AuditLog;
  readonly idempotency: Idempotency;
  readonly events: Events;
  readonly streamTargets: StreamTargets;
  readonly streams: Streams;
  readonly usage: Usage;
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
    this.apiKeys = new ApiKeys(store);
    this.apiKeys.onRemoved((keyId) => this.tickets.revoke(keyId));
    const quota = new Quota(store, maxRunning);
    this.computers = new Computers(store, this.#machines, quota);
    this.usage = new Usage(this.#machines);
    this.projects = new Projects(store, this.computers, quota);
    this.auditLog = new AuditLog(store, log);
    this.idempotency = new Idempotency(store, log);
    this.events = new Events(store, log);
    const running = new RunningComputers(store, this.#machines);
    const jobs = new JobWatch({
      ...{ store, machines: this.#machines, log, stopping: this.#stopping.signal },
    });
    this.actions = new Actions(running, (record, job) => jobs.started(record, job));
    const rules = { allowPrivate: options.allowPrivateRtmp ?? false };
    this.streamTargets = new StreamTargets(store, rules);
    this.streams = new Streams({ running, streamTargets: this.streamTargets, rules, log });
    const { apiKeys, auditLog, streams } = this;
    const machines = this.#machines;
    const deletion = new OwnerDeletion({ store, apiKeys, machines, streams, auditLog, log });
    this.owners = new Owners({ store, apiKeys, auditLog, deletion });
    const reconciler = new Reconciler(store, machines, log, () => deletion.resume());
    for (const engine of engines.all.values()) {
      const { name } = engine;
      const matters = () => name === engines.preferred || usesEngine(store, name);
      const watching = watchEngine(engine, reconciler, log, this.#stopping.signal, matters);
      this.#background.push(watching);
    }
    this.#autoStop = autoStop({ store, machines: this.#machines, auditLog: this.auditLog, log });
  }

  /** The engines' probes, cached for two seconds. */
  probes(): Promise<EngineProbe[]> {
    if (this.#probes === undefined || performance.now() - this.#probedAt > FRESH_MS) {
      this.#probes = Promise.all([...this.#machines.engines()].map(probeOf));
      this.#probedAt = performance.now();
    }
    return this.#probes;
  }

  /** The images of all engines. */
  images(signal?: AbortSignal): Promise<ImageList> {
    return listStoredImages([...this.#machines.engines()], signal);
  }

  /** Whether the store can be read and written, and its disk has free space. */
  storeState(): StoreState {
    const { failure } = this.auditLog;
    const state = this.#store.state();
    if (!state.usable || failure === undefined) return state;
    return { usable: false, detail: `it cannot be written: ${failure}` };
  }

  /** Closes all connections and the store. The machines keep running. */
  async close(): Promise<void> {
    this.#autoStop.stop();
    this.#stopping.abort();
    this.#store.written.close();
    this.#machines.detach();
    await this.streams.close();
    await Promise.all(this.#background);
    await Promise.all([...this.#machines.engines()].map((engine) => engine.close?.()));
    this.auditLog.close();
    this.#store.close();
  }
}

async function probeOf(engine: Engine): Promise<EngineProbe> {
  const probe = await engine.probe();
  const detail = probe.usable ? probe.detail : `${probe.reason}; to fix it: ${probe.remedy}`;
  return { name: engine.name, usable: probe.usable, detail };
}

function usesEngine(store: Store, name: string): boolean {
  return store.computers.listAll().some(({ engine }) => engine === name);
}
