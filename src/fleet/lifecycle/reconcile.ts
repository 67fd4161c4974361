import { setImmediate } from 'node:timers/promises';
import type { ComputerStatus } from '../../contract/resources.js';
import { isClustered } from '../../engines/clustered.js';
import {
  type Engine,
  isLabelling,
  type MachineEvent,
  type MachineState,
} from '../../engines/engine.js';
import type { Log } from '../../lib/log.js';
import { unlisted } from '../cluster/unlisted.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { Adoption } from './adoption.js';
import { judge, type News } from './lifecycle.js';
import type { Machines } from './machines.js';

/** Computers that are compared at once; requests are answered in between. */
const PART = 250;

/** Continues interrupted work on more than one computer, and on what else an engine keeps. */
export type ResumeOthers = (engine: Engine, signal: AbortSignal) => Promise<void>;

/** Called when a machine that ran has ended without the service. */
export type OnEnded = (record: ComputerRecord, now: ComputerStatus) => void;

type Now = ComputerStatus | 'gone';

/**
 * Reconciles the store's intent with the engine's state; safe to run at any time. It changes
 * machines with the same steps as requests do, and removes orphans.
 */
export class Reconciler {
  readonly #store: Store;
  readonly #machines: Machines;
  readonly #log: Log;
  readonly #resumeOthers: ResumeOthers;
  readonly #onEnded: OnEnded;
  readonly adoption: Adoption;

  constructor(
    store: Store,
    machines: Machines,
    log: Log,
    resumeOthers: ResumeOthers = async () => {},
    onEnded: OnEnded = () => {},
  ) {
    this.#onEnded = onEnded;
    this.#store = store;
    this.#machines = machines;
    this.#log = log;
    this.#resumeOthers = resumeOthers;
    this.adoption = new Adoption(store, machines.labels, log);
  }

  /** Resumes interrupted steps and adopts changes made outside the service. */
  async run(engine: Engine, signal: AbortSignal): Promise<void> {
    const epoch = (id: string) => this.#machines.known(id)?.epoch ?? 0;
    const before = new Map(this.#store.computers.listAll().map(({ id }) => [id, epoch(id)]));
    const states = new Map((await engine.list(signal)).map((state) => [state.id, state]));
    const ids = [...before.keys()];
    if (isClustered(engine)) {
      const lacking = this.#store.computers.listAll().filter(({ id }) => !states.has(id));
      for (const state of await unlisted(engine, lacking, signal)) states.set(state.id, state);
    }
    let failure: unknown;
    for (let at = 0; at < ids.length; at += PART) {
      if (at > 0) await setImmediate();
      signal.throwIfAborted();
      const part = ids.slice(at, at + PART).flatMap((id) => {
        const record = this.#store.computers.findById(id);
        if (record?.engine !== engine.name) return [];
        // The list may be older than a step that began or ended since.
        const unchanged = before.get(id) === epoch(id);
        const busy = this.#machines.known(id)?.busy ?? false;
        return unchanged && !busy ? [record] : [];
      });
      try {
        this.#reconcileAll(part, states);
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    // An unreachable machine may be another service's.
    const present = [...states.values()].filter(({ status }) => status !== 'unreachable');
    const isUnknown = (id: string) => this.#store.computers.findById(id) === undefined;
    const unowned = present.filter(({ id }) => isUnknown(id) && !before.has(id));
    for (const id of await this.#removable(engine, unowned, signal)) {
      await this.#removeOrphan(engine, id, signal);
    }
    this.#finishProjects();
    await this.#resumeOthers(engine, signal);
  }

  /** Handles an engine's event. */
  apply(engine: Engine, event: MachineEvent): void {
    const record = this.#store.computers.findById(event.id);
    if (record === undefined || record.engine !== engine.name) return;
    this.#reconcile(record, event.status === 'gone' ? undefined : event)?.();
  }

  /** Adopts machines that no computer owns, if the engine has labels; returns the orphans. */
  async #removable(
    engine: Engine,
    unowned: readonly MachineState[],
    signal: AbortSignal,
  ): Promise<string[]> {
    if (!isLabelling(engine)) {
      return this.#store.orphans.removable(
        engine.name,
        unowned.map(({ id }) => id),
      );
    }
    const deleted = await this.adoption.run(engine, unowned, signal);
    for (const state of unowned) {
      const record = this.#store.computers.findById(state.id);
      if (record !== undefined) this.#reconcile(record, state)?.();
    }
    return deleted;
  }

  /** Stores what has changed in one transaction, for which the disk is waited for once. */
  #reconcileAll(
    records: readonly ComputerRecord[],
    states: ReadonlyMap<string, MachineState>,
  ): void {
    const steps: (() => void)[] = [];
    const reports: (() => void)[] = [];
    try {
      this.#store.transaction(() => {
        for (const record of records) {
          const state = states.get(record.id);
          const step = this.#reconcile(record, state, (report) => reports.push(report));
          if (step !== undefined) steps.push(step);
        }
      });
      // What could not be stored is found again by the next run.
      for (const report of reports) report();
    } finally {
      // Also on a full disk: a removal frees space.
      for (const step of steps) step();
    }
  }

  /**
   * Stores what the engine reports; returns how to resume an interrupted step. `whenStored` is given
   * what to report of it: by default at once.
   */
  #reconcile(
    record: ComputerRecord,
    state: MachineState | undefined,
    whenStored: (report: () => void) => void = (report) => report(),
  ): (() => void) | undefined {
    if (state?.member !== undefined) this.#store.computers.setMember(record.id, state.member);
    const machine = this.#machines.of(record);
    if (state !== undefined) {
      this.#machines.labels.keep(this.#machines.engine(record.engine), record, state);
    }
    if (machine.busy) {
      machine.observe(state);
      return undefined;
    }
    const verdict = judge(record, state);
    if (verdict === undefined) return undefined;
    if ('pursue' in verdict) return () => this.#resume(record, machine[verdict.pursue]());
    const now = this.#adopt(record, verdict.news, verdict.reason);
    if (now !== undefined) whenStored(() => this.#report(record, now));
    return undefined;
  }

  /** Stores the machine's state as the computer's status; undefined if it is the same. */
  #adopt(record: ComputerRecord, news: News, reason: string | null): Now | undefined {
    const now = this.#store.computers.change(record.id, news, reason);
    if (now === undefined || now === record.status) return undefined;
    if (now !== 'running') this.#machines.known(record.id)?.session.close();
    return now;
  }

  #report(record: ComputerRecord, now: Now): void {
    if (record.status === 'running' && now !== 'gone') this.#onEnded(record, now);
    this.#log.info({ computer: record.id, was: record.status, now }, 'state adopted');
  }

  #resume(record: ComputerRecord, step: Promise<void>): void {
    this.#log.info({ computer: record.id, status: record.status }, 'resuming an interrupted step');
    step.catch((error) => this.#log.warn({ computer: record.id, err: error }, 'resuming failed'));
  }

  async #removeOrphan(engine: Engine, id: string, signal: AbortSignal): Promise<void> {
    this.#log.info({ computer: id }, 'removing a machine that no computer owns');
    await engine.remove(id, signal).catch((error) => {
      this.#log.warn({ computer: id, err: error }, 'could not remove it; trying again later');
    });
  }

  #finishProjects(): void {
    for (const project of this.#store.projects.listDeleting()) {
      const computers = this.#store.computers.listOfProject(project.id);
      const removals = computers.map((record) => {
        const removal = this.#machines.of(record).remove();
        this.#resume(record, removal);
        return removal;
      });
      // Otherwise a later run tries again.
      Promise.all(removals)
        .then(() => this.#store.projects.remove(project.id))
        .catch((err) =>
          this.#log.debug({ project: project.id, err }, 'project is not removed yet'),
        );
    }
  }
}
