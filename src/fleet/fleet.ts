import { setMaxListeners } from 'node:events';
import type { AddressRules } from '../broadcast/index.js';
import { DEFAULT_STORAGE } from '../contract/constants.js';
import { type Engine, isLabelling } from '../engines/engine.js';
import type { Log } from '../lib/log.js';
import { ApiKeys } from './accounts/api-keys.js';
import { KeyManagement } from './accounts/key-management.js';
import { OwnerDeletion } from './accounts/owner-deletion.js';
import { Owners } from './accounts/owners.js';
import { Sessions } from './accounts/sessions.js';
import { type BrowserGrant, Tickets } from './accounts/tickets.js';
import { Actions } from './actions/actions.js';
import { RunningComputers } from './actions/running-computers.js';
import { AuditLog } from './audit/audit-log.js';
import { Browsers } from './browsers/browsers.js';
import { Drains } from './cluster/drains.js';
import { Members } from './cluster/members.js';
import { ComputerUse } from './computer-use/computer-use.js';
import { Computers } from './computers/computers.js';
import { Creation } from './computers/creation.js';
import { Idempotency } from './computers/idempotency.js';
import { Projects } from './computers/projects.js';
import { Quota } from './computers/quota.js';
import { ResourceUsage } from './computers/resource-usage.js';
import { UsageHistory } from './computers/usage-history.js';
import { Budgets } from './consumption/budgets.js';
import { UsageLog } from './consumption/usage-log.js';
import { ControlLeases } from './control/leases.js';
import { recordControl } from './control/record-control.js';
import { Elements } from './elements/elements.js';
import { Events } from './events/events.js';
import { JobWatch } from './events/job-watch.js';
import { Builds } from './images/build/builds.js';
import { StepCache } from './images/build/step-cache.js';
import { Images } from './images/images.js';
import { recordEnd } from './lifecycle/act-of-service.js';
import type { Adoption, Unadopted } from './lifecycle/adoption.js';
import { autoStop } from './lifecycle/auto-stop.js';
import { deleteExpired } from './lifecycle/expiry.js';
import { type EngineSet, Machines } from './lifecycle/machines.js';
import { Reconciler } from './lifecycle/reconcile.js';
import { watchEngine } from './lifecycle/watcher.js';
import { type Previews, Publications } from './publications/publications.js';
import { Secrets } from './secrets/secrets.js';
import { MachineSessions } from './sessions/machine-sessions.js';
import { SavedDisks } from './snapshots/saved-disks.js';
import { Snapshots } from './snapshots/snapshots.js';
import { Sounds } from './sound/sounds.js';
import type { Store, StoreState } from './store/index.js';
import { StreamTargets } from './streams/stream-targets.js';
import { Streams } from './streams/streams.js';
import { Trajectories, type TrajectoriesParts } from './trajectories/trajectories.js';
import { Volumes } from './volumes/volumes.js';
import { Pictures } from './wall/pictures.js';
import { ScreenUses } from './wall/screen-uses.js';
import { Walls } from './wall/walls.js';
import type { DeliveriesParts } from './webhooks/deliveries.js';
import { Webhooks } from './webhooks/webhooks.js';

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
  /** Limit of the storage per owner in GB. Default: 50. */
  readonly maxStorage?: number | undefined;
  readonly log: Log;
  /** Allow streams and webhooks to addresses outside the public internet. Default: false. */
  readonly allowPrivateTargets?: boolean | undefined;
  /** Other addresses of names, and another time limit of attempts, for webhooks. */
  readonly webhooks?:
    | (Pick<AddressRules, 'lookup'> & Pick<DeliveriesParts, 'attemptMs'>)
    | undefined;
  /** Connections to computers; by default those of this store. */
  readonly machineSessions?: MachineSessions;
  /** Milliseconds without a sign of its holder after which control of a computer ends. */
  readonly controlMs?: number | undefined;
  /** Where publications are reached: see {@link Publications}. By default the port 4700. */
  readonly previews?: Previews | undefined;
  /** Other limits of trajectories, and another measure of the free disk. */
  readonly recording?: Pick<TrajectoriesParts, 'limits' | 'freeBytes'> | undefined;
}

/** The domain: owners, projects, computers and the operations on them. */
export class Fleet {
  readonly apiKeys: ApiKeys;
  readonly keys: KeyManagement;
  readonly owners: Owners;
  readonly projects: Projects;
  readonly computers: Computers;
  readonly actions: Actions;
  readonly trajectories: Trajectories;
  readonly computerUse: ComputerUse;
  readonly elements: Elements;
  readonly auditLog: AuditLog;
  readonly idempotency: Idempotency;
  readonly events: Events;
  readonly jobWatch: JobWatch;
  readonly secrets: Secrets;
  readonly streamTargets: StreamTargets;
  readonly webhooks: Webhooks;
  readonly sounds: Sounds;
  readonly streams: Streams;
  readonly drains: Drains;
  readonly members: Members;
  readonly snapshots: Snapshots;
  readonly images: Images;
  readonly volumes: Volumes;
  readonly runs: Store['runs'];
  readonly publications: Publications;
  readonly builds: Builds;
  readonly usage: ResourceUsage;
  readonly usageHistory: UsageHistory;
  readonly usageLog: UsageLog;
  readonly budgets: Budgets;
  readonly sessions: Sessions;
  readonly control: ControlLeases;
  readonly screenUses: ScreenUses;
  readonly walls: Walls;
  readonly tickets: Tickets;
  readonly browserTickets: Tickets<BrowserGrant>;
  readonly browsers: Browsers;
  readonly #pictures: Pictures;
  readonly #machines: Machines;
  readonly #store: Store;
  readonly #stopping = new AbortController();
  readonly #background: Promise<void>[] = [];
  readonly #autoStop: { stop(): void };
  readonly #expiry: { stop(): void };
  readonly #adoption: Adoption;
  #probes: Promise<EngineProbe[]> | undefined;
  #probedAt = 0;

  constructor(options: FleetOptions) {
    const { store, engines, maxRunning, log } = options;
    const { machineSessions = new MachineSessions(store) } = options;
    this.#store = store;
    // Every save listens to it.
    setMaxListeners(0, this.#stopping.signal);
    this.#machines = new Machines(engines, store, machineSessions);
    this.#pictures = new Pictures({
      known: (id) => this.#machines.known(id),
      exists: (id) => store.computers.findById(id) !== undefined,
    });
    this.#machines.onRemoved((id) => this.#pictures.computerRemoved(id));
    this.apiKeys = new ApiKeys(store);
    this.budgets = new Budgets(store);
    this.keys = new KeyManagement(store, this.apiKeys, this.budgets);
    this.tickets = new Tickets();
    this.browserTickets = new Tickets();
    this.apiKeys.onRemoved((keyId) => this.tickets.revoke(keyId));
    this.apiKeys.onRemoved((keyId) => this.browserTickets.revoke(keyId));
    this.sessions = new Sessions(store, this.apiKeys);
    this.publications = new Publications(store, this.apiKeys, options.previews);
    this.control = new ControlLeases(this.apiKeys, options.controlMs);
    const quota = new Quota(store, this.budgets, {
      maxRunning,
      maxStorage: options.maxStorage ?? DEFAULT_STORAGE,
    });
    const steps = new StepCache(store, quota);
    const disks = new SavedDisks({
      store,
      steps,
      machines: this.#machines,
      quota,
      log,
      stopping: this.#stopping.signal,
    });
    this.runs = store.runs;
    this.volumes = new Volumes({
      store,
      machines: this.#machines,
      quota,
      log,
      stopping: this.#stopping.signal,
    });
    const { volumes } = this;
    this.snapshots = new Snapshots({ store, machines: this.#machines, quota, disks });
    this.#machines.onRemoved((id, engine) =>
      disks
        .tidy(engine, undefined, this.#stopping.signal)
        .catch((err) => log.warn({ computer: id, err }, 'its saved disks are removed later')),
    );
    this.computers = new Computers({
      store,
      machines: this.#machines,
      quota,
      disks,
      snapshots: this.snapshots,
      volumes,
      budgets: this.budgets,
      controlOf: (id) => this.control.of(id),
    });
    this.usage = new ResourceUsage(this.#machines);
    this.usageHistory = new UsageHistory(store, (id) => this.#machines.known(id)?.session.lastUsed);
    this.#machines.onRemoved((id) => this.usageHistory.computerRemoved(id));
    this.projects = new Projects(store, this.computers, quota);
    this.auditLog = new AuditLog(store, log);
    this.drains = new Drains({
      store,
      machines: this.#machines,
      auditLog: this.auditLog,
      log,
      stopping: this.#stopping.signal,
    });
    this.members = new Members(store, this.#machines, this.drains);
    recordControl(this.control, { store, auditLog: this.auditLog, log });
    this.usageLog = new UsageLog(store, log, this.budgets);
    this.auditLog.onEntry((entry) => this.usageLog.action(entry));
    this.idempotency = new Idempotency(store, log);
    this.events = new Events(store, log);
    const { computers, events, control } = this;
    this.screenUses = new ScreenUses(this.apiKeys);
    const { screenUses } = this;
    this.walls = new Walls({ computers, events, control, screenUses, pictures: this.#pictures });
    const running = new RunningComputers(store, this.#machines);
    this.jobWatch = new JobWatch({
      store,
      machines: this.#machines,
      log,
      stopping: this.#stopping.signal,
    });
    this.secrets = new Secrets(store, this.projects);
    const recording = {
      ...{ store, running, log, apiKeys: this.apiKeys, snapshots: this.snapshots },
      ...options.recording,
    };
    this.trajectories = new Trajectories(recording);
    this.#machines.onRemoved((id) => this.trajectories.computerRemoved(id));
    this.elements = new Elements(running);
    this.actions = new Actions(running, {
      elements: this.elements,
      secrets: this.secrets,
      onJob: (record, job) => this.jobWatch.started(record, job),
      control: this.control,
      trajectories: this.trajectories,
    });
    this.control.onChange(({ step, record, owner }) => {
      if (step === 'taken') this.actions.held.releaseOthers(record.id, owner);
    });
    this.computerUse = new ComputerUse(this.actions);
    this.#machines.onRemoved((computerId) => this.computerUse.forget({ computerId }));
    this.apiKeys.onRemoved((keyId) => {
      // A key that only has fewer rights may repeat its calls.
      if (store.keys.find(keyId) === undefined) this.computerUse.forget({ keyId });
    });
    this.apiKeys.onRemoved((keyId) => this.actions.held.keyRemoved(keyId));
    this.browsers = new Browsers(this.actions, this.apiKeys);
    const rules = { allowPrivate: options.allowPrivateTargets ?? false };
    this.streamTargets = new StreamTargets(store, rules);
    this.sounds = new Sounds(running);
    this.streams = new Streams({
      running,
      streamTargets: this.streamTargets,
      rules,
      sounds: this.sounds,
      screenUses,
      log,
    });
    this.webhooks = new Webhooks({
      store,
      rules: { ...rules, lookup: options.webhooks?.lookup },
      log,
      stopping: this.#stopping.signal,
      attemptMs: options.webhooks?.attemptMs,
    });
    const { apiKeys, auditLog, streams } = this;
    const machines = this.#machines;
    const deletion = new OwnerDeletion({
      store,
      apiKeys,
      machines,
      disks,
      volumes,
      streams,
      auditLog,
      log,
    });
    this.owners = new Owners({ store, apiKeys, keys: this.keys, auditLog, deletion });
    this.images = new Images({
      store,
      machines,
      disks,
      snapshots: this.snapshots,
      mayAdminister: (owner) => this.owners.mayAdminister(owner),
    });
    this.builds = new Builds({
      store,
      machines,
      quota,
      creation: new Creation({ store, machines, quota, disks, snapshots: this.snapshots, volumes }),
      disks,
      steps,
      images: this.images,
      log,
      stopping: this.#stopping.signal,
    });
    const resumeOthers = async (engine: Engine, signal: AbortSignal) => {
      // Not waited for: a computer may not answer. Failures leave a gap.
      this.usageHistory.measure(engine, signal).catch(() => undefined);
      deletion.resume();
      this.drains.resume();
      await disks.reconcile(engine, signal);
      volumes.reconcile(engine);
    };
    const reconciler = new Reconciler(store, machines, log, resumeOthers, (record, status) =>
      recordEnd(this.auditLog, record, status),
    );
    this.#adoption = reconciler.adoption;
    if ([...engines.all.values()].some(isLabelling)) machines.labels.prepare();
    for (const engine of engines.all.values()) {
      const { name } = engine;
      const matters = () => name === engines.preferred || usesEngine(store, name);
      const watching = watchEngine(engine, reconciler, log, this.#stopping.signal, matters);
      this.#background.push(watching);
    }
    const watched = { store, machines: this.#machines, auditLog: this.auditLog, log };
    this.#autoStop = autoStop({ ...watched, budgets: this.budgets });
    this.#expiry = deleteExpired(watched);
  }

  /** The engines' probes, cached for two seconds. */
  probes(): Promise<EngineProbe[]> {
    if (this.#probes === undefined || performance.now() - this.#probedAt > FRESH_MS) {
      this.#probes = Promise.all([...this.#machines.engines()].map(probeOf));
      this.#probedAt = performance.now();
    }
    return this.#probes;
  }

  /** Whether the store can be read and written, and its disk has free space. */
  storeState(): StoreState {
    const { failure } = this.auditLog;
    const state = this.#store.state();
    if (!state.usable || failure === undefined) return state;
    return { usable: false, detail: `it cannot be written: ${failure}` };
  }

  /** Machines that no computer owns and that were left alone; null without an engine that adopts. */
  get unadopted(): readonly Unadopted[] | null {
    const adopts = [...this.#machines.engines()].some(isLabelling);
    return adopts ? this.#adoption.unadopted : null;
  }

  /** Closes all connections and the store. The machines keep running. */
  async close(): Promise<void> {
    this.#autoStop.stop();
    this.#expiry.stop();
    this.#stopping.abort();
    this.#pictures.close();
    this.control.close();
    await this.trajectories.close();
    this.#store.written.close();
    this.#machines.detach();
    await this.streams.close();
    await this.builds.ended();
    await this.webhooks.ended();
    await Promise.all(this.#background);
    await Promise.all([...this.#machines.engines()].map((engine) => engine.close?.()));
    this.auditLog.close();
    this.usageLog.close();
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
