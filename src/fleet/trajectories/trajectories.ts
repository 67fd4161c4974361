import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ApiError } from '../../contract/errors.js';
import type { StartTrajectory, Trajectory } from '../../contract/resources.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { ApiKeys, Owner } from '../accounts/api-keys.js';
import type { RunningComputers } from '../actions/running-computers.js';
import { generateId } from '../computers/ids.js';
import { inCommands } from '../errors/remedies.js';
import type { Log } from '../lifecycle/reconcile.js';
import type { Session } from '../sessions/session.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { captureFor } from './capture.js';
import { TrajectoryFolder } from './folder.js';
import type { RecordedAction } from './recorded-action.js';
import { type EndReason, Recorder, type TrajectoryLimits } from './recorder.js';
import { Stored, shown } from './stored.js';

/** Limits of a trajectory, and of the disk for those of an owner. */
const LIMITS = { steps: 10_000, bytes: 256 * 2 ** 20, ofOwner: 2 ** 30 } as const;
/** Milliseconds of a running service for which an ended trajectory is kept. */
const KEPT_MS = 24 * 3600_000;
const TIDY_MS = 10 * 60_000;
const DIRECTORY = 'trajectories';

interface Recording {
  readonly recorder: Recorder;
  /** Ends the timer and the listeners. */
  dispose(): void;
}

interface Entry {
  readonly folder: TrajectoryFolder;
  stored: Stored;
  /** When it ended or was found (performance.now): the wall clock may jump. */
  keptFrom: number;
  recording?: Recording | undefined;
}

export interface TrajectoriesParts {
  readonly store: Store;
  readonly running: RunningComputers;
  readonly apiKeys: ApiKeys;
  readonly log: Log;
  readonly limits?: TrajectoryLimits & { readonly ofOwner: number };
}

/** The recorded actions of computers, at most one trajectory of each. */
export class Trajectories {
  readonly #parts: TrajectoriesParts;
  readonly #limits: TrajectoryLimits & { readonly ofOwner: number };
  readonly #entries = new Map<string, Entry>();
  /** Those that are being started, with their owners: each has room of its own. */
  readonly #starting = new Map<string, string>();
  /** Computers whose trajectory is being started or removed. */
  readonly #changing = new Set<string>();
  readonly #tidying: NodeJS.Timeout;

  constructor(parts: TrajectoriesParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? LIMITS;
    this.#recover();
    this.#tidying = setInterval(() => this.#tidy(), TIDY_MS);
    this.#tidying.unref();
  }

  /**
   * Performs `work`, and records the action if the actions of the computer are recorded. `describe` is
   * called in this case only.
   */
  record<T>(id: string, describe: () => RecordedAction, work: () => Promise<T>): Promise<T> {
    const recorder = this.#entries.get(id)?.recording?.recorder;
    return recorder === undefined ? work() : recorder.step(describe(), work);
  }

  /** Starts to record. Ends with the owner's key, the computer, or at a limit. */
  async start(
    record: ComputerRecord,
    owner: Owner,
    { max_seconds }: StartTrajectory,
    signal?: AbortSignal,
  ): Promise<Trajectory> {
    return this.#change(record, async () => {
      if (this.#entries.get(record.id)?.recording !== undefined) throw recordingAlready(record);
      const session = await this.#parts.running.session(record, signal);
      await this.#makeRoom(record);
      const stored: Stored = {
        ...{ id: generateId('trj'), owner_id: record.owner_id, computer_id: record.id },
        ...{ started_at: new Date().toISOString(), ended_at: null, end_reason: null },
        ...{ steps: 0, pictures: 0, bytes: 0 },
      };
      const folder = this.#folder(record.id);
      const recorder = new Recorder({
        ...{ folder, limits: this.#limits, capture: captureFor(session, record) },
        onOver: (reason, message) => this.#endLater(entry, reason, message),
      });
      const entry: Entry = { folder, stored, keptFrom: performance.now() };
      const { id, started_at } = stored;
      const { name, project_name: project, os } = record;
      try {
        await folder.create();
        await folder.saveState(stored);
        await recorder.begin({ id, started_at, computer: { project, name, os } });
        signal?.throwIfAborted();
      } catch (error) {
        this.#entries.delete(record.id);
        await folder.remove().catch(() => undefined);
        throw error instanceof ApiError ? error : unwritable(error);
      }
      this.#entries.set(record.id, entry);
      this.#watch(entry, { recorder, session, owner, seconds: max_seconds });
      return shown(this.#current(entry));
    });
  }

  get(record: ComputerRecord): Trajectory {
    return shown(this.#current(this.#find(record)));
  }

  /** Ends the recording; without effect on one that has ended. */
  async end(record: ComputerRecord): Promise<Trajectory> {
    const entry = this.#find(record);
    await this.#end(entry, 'request');
    return shown(entry.stored);
  }

  /** The files as a tar archive. */
  archive(record: ComputerRecord): Readable {
    return Readable.from(this.#find(record).folder.archive(), { objectMode: false });
  }

  /** Ends the recording and removes its files; without effect if there is none. */
  async remove(record: Pick<ComputerRecord, 'id' | 'name'>): Promise<void> {
    await this.#change(record, () => this.#discard(record.id));
  }

  /** The computer was removed. */
  computerRemoved(id: string): void {
    this.#discard(id).catch((error: unknown) => this.#warn(error));
  }

  /** Ends all recordings: the service stops. */
  async close(): Promise<void> {
    clearInterval(this.#tidying);
    await Promise.all([...this.#entries.values()].map((entry) => this.#end(entry, 'service')));
  }

  #folder(computerId: string): TrajectoryFolder {
    return new TrajectoryFolder(join(this.#parts.store.directory, DIRECTORY, computerId));
  }

  #find(record: ComputerRecord): Entry {
    const entry = this.#entries.get(record.id);
    if (entry !== undefined) return entry;
    const message = `The computer ${JSON.stringify(record.name)} has no recorded actions.`;
    const remedy = `Record some: vc computer trajectory ${inCommands(record)} start`;
    throw new ApiError('not_found', message, { remedy });
  }

  #watch(
    entry: Entry,
    of: { recorder: Recorder; session: Session; owner: Owner; seconds: number },
  ): void {
    const { recorder, session, owner, seconds } = of;
    const late = `The trajectory is ${seconds} s long, which is the limit.`;
    const timer = setTimeout(() => this.#endLater(entry, 'limit', late), seconds * 1000);
    timer.unref();
    const forget: (() => void)[] = [];
    entry.recording = {
      recorder,
      dispose: () => {
        clearTimeout(timer);
        for (const one of forget) one();
      },
    };
    forget.push(session.onClose(() => this.#endLater(entry, 'computer')));
    // Calls back at once if the key has ended meanwhile.
    forget.push(this.#parts.apiKeys.whileValid(owner, () => this.#endLater(entry, 'key')));
  }

  #current({ stored, recording }: Entry): Stored {
    if (recording === undefined) return stored;
    const { steps, pictures, bytes } = recording.recorder;
    return { ...stored, steps, pictures, bytes };
  }

  #endLater(entry: Entry, reason: EndReason, message?: string): void {
    this.#end(entry, reason, message).catch((error: unknown) => this.#warn(error));
  }

  async #end(entry: Entry, reason: EndReason, message?: string): Promise<void> {
    const { recording } = entry;
    if (recording === undefined) return;
    recording.dispose();
    await recording.recorder.end(reason, message);
    // Another end may have come first.
    if (entry.recording === undefined) return;
    const { steps, pictures, bytes } = recording.recorder;
    entry.recording = undefined;
    entry.keptFrom = performance.now();
    entry.stored = {
      ...entry.stored,
      ...{ ended_at: new Date().toISOString(), end_reason: reason, steps, pictures, bytes },
      ...(message === undefined ? {} : { message }),
    };
    // On a full disk the next start of the service counts the files.
    await entry.folder.saveState(entry.stored).catch((error: unknown) => this.#warn(error));
  }

  async #discard(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    await this.#end(entry, 'request');
    this.#entries.delete(id);
    await entry.folder.remove();
  }

  /** One start or removal at a time for each computer. */
  async #change<T>({ id, name }: Pick<ComputerRecord, 'id' | 'name'>, work: () => Promise<T>) {
    if (this.#changing.has(id)) {
      const message = `The trajectory of ${JSON.stringify(name)} is being started or removed.`;
      throw new ApiError('conflict', message, { remedy: 'Try again in a moment.' });
    }
    this.#changing.add(id);
    try {
      return await work();
    } finally {
      this.#changing.delete(id);
      this.#starting.delete(id);
    }
  }

  /**
   * Reserves room for another trajectory: removes the oldest ended ones of the owner until there is
   * enough. One that is recorded, or is being started, may become as large as the limit.
   */
  async #makeRoom({ owner_id, id }: ComputerRecord): Promise<void> {
    const { bytes, ofOwner } = this.#limits;
    for (;;) {
      const others = [...this.#entries].filter(
        ([computer, { stored }]) =>
          computer !== id && stored.owner_id === owner_id && !this.#starting.has(computer),
      );
      const starting = [...this.#starting.values()].filter((owner) => owner === owner_id).length;
      const sum = others.reduce(
        (total, [, { stored, recording }]) => total + (recording ? bytes : stored.bytes),
        starting * bytes,
      );
      if (sum + bytes <= ofOwner) break;
      const [oldest] = others
        .filter(([computer, { recording }]) => !recording && !this.#changing.has(computer))
        .sort(([, a], [, b]) => (a.stored.ended_at ?? '').localeCompare(b.stored.ended_at ?? ''));
      if (oldest === undefined) {
        throw new ApiError('limit_reached', 'Too many of your computers are being recorded.', {
          remedy: 'End one first: vc computer trajectory COMPUTER end',
        });
      }
      await this.#discard(oldest[0]);
    }
    this.#starting.set(id, owner_id);
  }

  #tidy(): void {
    const before = performance.now() - KEPT_MS;
    for (const [id, { stored, keptFrom }] of this.#entries) {
      if (stored.ended_at !== null && keptFrom < before) this.computerRemoved(id);
    }
  }

  /** Finds the trajectories of an earlier process; what it was recording has ended. */
  #recover(): void {
    const { store } = this.#parts;
    for (const id of namesIn(join(store.directory, DIRECTORY))) {
      const folder = this.#folder(id);
      try {
        const stored = Stored.parse(folder.readState());
        if (store.computers.findById(id) === undefined) throw new Error('its computer is gone');
        if (stored.ended_at === null) {
          Object.assign(stored, { ended_at: new Date().toISOString(), end_reason: 'service' });
          Object.assign(stored, folder.recover(stored));
        }
        this.#entries.set(id, { folder, stored, keptFrom: performance.now() });
      } catch {
        folder.remove().catch((error: unknown) => this.#warn(error));
      }
    }
  }

  #warn(error: unknown): void {
    this.#parts.log.warn({ reason: errorMessage(error) }, 'trajectory');
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function recordingAlready(record: ComputerRecord): ApiError {
  const message = `The actions of ${JSON.stringify(record.name)} are being recorded already.`;
  const remedy = `End that first: vc computer trajectory ${inCommands(record)} end`;
  return new ApiError('conflict', message, { remedy });
}

function unwritable(cause: unknown): ApiError {
  const message = `The trajectory cannot be written: ${errorMessage(cause)}`;
  return new ApiError('internal', message, { cause });
}
