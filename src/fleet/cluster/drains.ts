import { ApiError } from '../../contract/errors.js';
import { type Clustered, isClustered } from '../../engines/clustered.js';
import type { Engine } from '../../engines/engine.js';
import type { Log } from '../../lib/log.js';
import { type AuditLog, outcomeOf, SERVICE_KEY, startTimer } from '../audit/audit-log.js';
import { isLost } from '../errors/lost-machine.js';
import { publicMessage } from '../errors/public-message.js';
import { NO_VOLUMES } from '../lifecycle/machine-spec.js';
import type { Machines } from '../lifecycle/machines.js';
import { Superseded } from '../lifecycle/steps.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { countByMember, drainedMembers, leastUsed } from './place-new.js';

export interface DrainParts {
  readonly store: Store;
  readonly machines: Machines;
  readonly auditLog: AuditLog;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

/** How far a drain is. */
export interface DrainProgress {
  readonly since: string;
  /** Id of the computer that is being moved. */
  readonly moving: string | null;
  /** Computers that could not be moved the last time; they are tried again. */
  readonly failed: readonly { readonly id: string; readonly error: string }[];
}

interface Round {
  moving: string | null;
  /** By id; kept until the computer was moved, so that it is not stopped again and again. */
  readonly failed: Map<string, Failure>;
}

interface Failure {
  readonly error: string;
  /** Members that it could not be moved to. */
  readonly targets: ReadonlySet<string>;
  readonly pauseMs: number;
  /** When it is tried again, as performance.now(). */
  readonly againAt: number;
}

/** Pause before the second attempt; twice as long before each further one. */
const PAUSE_MS = { first: 60_000, most: 3_600_000 };

/**
 * Empties members of clusters: the computers of each are moved to others, one at a time. Which members
 * is in the store, and where computers are too, so that it continues after a crash.
 */
export class Drains {
  readonly #parts: DrainParts;
  /** Members whose round runs, and the last round of each member. */
  readonly #active = new Set<string>();
  readonly #rounds = new Map<string, Round>();

  constructor(parts: DrainParts) {
    this.#parts = parts;
  }

  /** Computers that could not be moved are tried again at once. */
  start(engine: string, member: string): void {
    this.#parts.store.drains.add(engine, member);
    this.#rounds.get(keyOf(engine, member))?.failed.clear();
    this.resume();
  }

  /** The computer that is being moved is still moved. */
  end(engine: string, member: string): void {
    this.#parts.store.drains.remove(engine, member);
    this.#rounds.delete(keyOf(engine, member));
  }

  /** Undefined for a member that is not drained. */
  of(engine: string, member: string): DrainProgress | undefined {
    const row = this.#parts.store.drains.find(engine, member);
    if (row === undefined) return undefined;
    const { moving = null, failed = new Map() } = this.#rounds.get(keyOf(engine, member)) ?? {};
    const failures = [...failed].map(([id, { error }]) => ({ id, error }));
    return { since: row.since, moving, failed: failures };
  }

  /** Moves what is on drained members; called again and again. */
  resume(): void {
    for (const { engine: name, member } of this.#parts.store.drains.list()) {
      const engine = [...this.#parts.machines.engines()].find((each) => each.name === name);
      const key = keyOf(name, member);
      if (engine === undefined || !isClustered(engine) || this.#active.has(key)) continue;
      this.#active.add(key);
      // A move may take an hour: the other members are not to wait for it.
      this.#round(engine, member)
        .catch((err) => {
          if (!this.#parts.stopping.aborted) this.#parts.log.warn({ member, err }, 'drain failed');
        })
        .finally(() => this.#active.delete(key));
    }
  }

  async #round(engine: Engine & Clustered, member: string): Promise<void> {
    if (await this.#hasLeft(engine, member)) return this.end(engine.name, member);
    const key = keyOf(engine.name, member);
    const round: Round = this.#rounds.get(key) ?? { moving: null, failed: new Map() };
    this.#rounds.set(key, round);
    const { computers } = this.#parts.store;
    for (const id of round.failed.keys()) {
      if (computers.findById(id)?.member !== member) round.failed.delete(id);
    }
    const waiting = [...round.failed].filter(([, { againAt }]) => againAt > performance.now());
    const done = new Set(waiting.map(([id]) => id));
    for (;;) {
      this.#parts.stopping.throwIfAborted();
      const next = this.#next(engine, member, done);
      if (next === undefined) return;
      done.add(next.id);
      round.moving = next.id;
      const before = round.failed.get(next.id);
      let target: string | undefined;
      try {
        target = await this.#target(engine, next, before);
        await this.#move(engine, next, target);
        if (computers.findById(next.id)?.member !== member) round.failed.delete(next.id);
      } catch (error) {
        if (!(error instanceof Superseded)) {
          round.failed.set(next.id, failureOf(error, target, before));
        }
      } finally {
        round.moving = null;
      }
    }
  }

  /** Whether the cluster has the member no more: one that joins with its name is another. */
  async #hasLeft(engine: Clustered, member: string): Promise<boolean> {
    const members = await engine.memberStates(this.#parts.stopping).catch(() => []);
    return members.length > 0 && members.every(({ name }) => name !== member);
  }

  /** A computer that is still on the member; undefined if the drain has ended. */
  #next(engine: Engine, member: string, done: ReadonlySet<string>): ComputerRecord | undefined {
    const { store, machines } = this.#parts;
    if (store.drains.find(engine.name, member) === undefined) return undefined;
    return store.computers
      .listAll()
      .find(
        (record) =>
          record.engine === engine.name &&
          record.member === member &&
          MOVABLE.includes(record.status) &&
          !isLost(record) &&
          !done.has(record.id) &&
          !machines.of(record).busy,
      );
  }

  /** A member of the group that was wanted, and first one that was not tried yet. */
  async #target(
    engine: Engine & Clustered,
    { member, member_group: group, volumes }: ComputerRecord,
    before: Failure | undefined,
  ): Promise<string> {
    const { store } = this.#parts;
    if (volumes !== NO_VOLUMES) {
      throw new ApiError('unsupported', 'It mounts volumes, which are on this member only.');
    }
    const states = await engine.memberStates();
    const source = states.find(({ name }) => name === member);
    // Nothing can be stopped there: the computer keeps its status.
    if (source === undefined || source.status === 'offline') {
      throw new ApiError('engine_unavailable', `The member "${member}" does not answer.`);
    }
    const possible = states.filter(
      ({ groups, architecture }) =>
        architecture === source.architecture && (group === null || groups.includes(group)),
    );
    const counts = countByMember(store, engine.name);
    const drained = drainedMembers(store, engine.name);
    const excluded = new Set([...drained, ...(before?.targets ?? [])]);
    const target = leastUsed(possible, excluded, counts) ?? leastUsed(possible, drained, counts);
    if (target !== undefined) return target;
    const which = group === null ? '' : ` of the group "${group}"`;
    throw new ApiError('engine_unavailable', `No other member${which} takes computers.`);
  }

  async #move(engine: Engine & Clustered, record: ComputerRecord, target: string) {
    const { machines, auditLog, log } = this.#parts;
    const timer = startTimer();
    const write = (outcome: ReturnType<typeof outcomeOf>) =>
      auditLog.record({
        owner: { id: record.owner_id, keyId: SERVICE_KEY },
        computerId: record.id,
        action: 'moveComputer',
        detail: { from: record.member ?? '', to: target },
        outcome,
        ...timer(),
      });
    log.info({ computer: record.id, from: record.member, to: target }, 'moving a computer');
    const machine = machines.of(record);
    // Something may have begun while the members were asked for.
    if (machine.busy) return;
    try {
      await machine.move(engine, target);
      write('ok');
    } catch (error) {
      log.warn({ computer: record.id, err: error }, 'a computer was not moved');
      write(outcomeOf(error));
      throw error;
    }
  }
}

const MOVABLE: readonly ComputerRecord['status'][] = ['running', 'stopped', 'error'];

/** Without a target nothing was stopped: it is tried in the next round. */
function failureOf(cause: unknown, target?: string, before?: Failure): Failure {
  const { targets = new Set<string>(), pauseMs: last = 0 } = before ?? {};
  const error = publicMessage(cause);
  if (target === undefined) return { error, targets, pauseMs: last, againAt: 0 };
  const pauseMs = Math.min(last === 0 ? PAUSE_MS.first : 2 * last, PAUSE_MS.most);
  // When all were tried, it begins again with the first.
  const tried = targets.has(target) ? [target] : [...targets, target];
  return { error, targets: new Set(tried), pauseMs, againAt: performance.now() + pauseMs };
}

function keyOf(engine: string, member: string): string {
  return `${engine} ${member}`;
}
