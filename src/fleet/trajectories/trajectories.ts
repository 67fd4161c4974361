import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError } from '../../contract/errors.js';
import type { StartTrajectory, Trajectory } from '../../contract/resources.js';
import { freeBytes } from '../../lib/fs/free-bytes.js';
import type { Log } from '../../lib/log.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { ApiKeys, Owner } from '../accounts/api-keys.js';
import type { RunningComputers } from '../actions/running-computers.js';
import type { Session } from '../sessions/session.js';
import type { Snapshots } from '../snapshots/snapshots.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { captureFor } from './capture.js';
import { Entry } from './entry.js';
import {
  noPicture,
  noTrajectory,
  recordingAlready,
  tooManyArchives,
  unwritable,
} from './errors.js';
import { toRemove } from './eviction.js';
import { TrajectoryFolder } from './folder.js';
import { checkDisk, LIMITS, type TrajectoryLimits } from './limits.js';
import { StepReader, type StepsWanted } from './reading/step-reader.js';
import type { RecordedAction } from './recorded-action.js';
import { type EndReason, Recorder } from './recorder.js';
import { recoverAll } from './recover.js';
import { newlyStored, shown } from './stored.js';

/** Milliseconds of a running service for which an ended trajectory is kept. */
const KEPT_MS = 24 * 3600_000;
const TIDY_MS = 10 * 60_000;
/** Archives that an owner may read at once. */
const MOST_ARCHIVES = 8;
const DIRECTORY = 'trajectories';

export interface TrajectoriesParts {
  readonly store: Store;
  readonly running: RunningComputers;
  readonly apiKeys: ApiKeys;
  readonly snapshots: Pick<Snapshots, 'createWithin' | 'refuseSteps'>;
  readonly log: Log;
  /** In place of {@link LIMITS}. */
  readonly limits?: Partial<TrajectoryLimits> | undefined;
  /** In place of the disk's own. */
  readonly freeBytes?: typeof freeBytes | undefined;
}

/** The recorded actions of computers, at most one trajectory of each. */
export class Trajectories {
  readonly #parts: TrajectoriesParts;
  readonly #limits: TrajectoryLimits;
  readonly #entries = new Map<string, Entry>();
  /** Those that are being started, with their owners: each has room of its own. */
  readonly #starting = new Map<string, string>();
  /** Computers whose trajectory is being started or removed. */
  readonly #changing = new Set<string>();
  readonly #reader = new StepReader();
  readonly #tidying: NodeJS.Timeout;

  constructor(parts: TrajectoriesParts) {
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...parts.limits };
    this.#recover();
    this.#tidying = setInterval(() => this.#tidy(), TIDY_MS);
    this.#tidying.unref();
  }

  /**
   * Performs `work`, and records the action if the actions of the computer are recorded. `describe` is
   * called in this case only.
   */
  record<T>(id: string, describe: () => RecordedAction, work: () => Promise<T>): Promise<T> {
    const recorder = this.#entries.get(id)?.recorder;
    return recorder === undefined ? work() : recorder.step(describe(), work);
  }

  /** Starts to record. Ends with the owner's key, the computer, or at a limit. */
  async start(
    record: ComputerRecord,
    owner: Owner,
    { max_seconds, snapshots }: StartTrajectory,
    signal?: AbortSignal,
  ): Promise<Trajectory> {
    return this.#change(record, async () => {
      if (this.#entries.get(record.id)?.recorder !== undefined) throw recordingAlready(record);
      const session = await this.#parts.running.session(record, signal);
      checkDisk(await this.#free(), this.#limits);
      if (snapshots !== undefined) this.#parts.snapshots.refuseSteps(record);
      await this.#makeRoom(record);
      const stored = newlyStored(record, this.#parts.apiKeys.nameOf(owner));
      const folder = this.#folder(record.id);
      const recorder = new Recorder({
        folder,
        limits: this.#limits,
        capture: captureFor(session, record),
        freeBytes: () => this.#free(),
        ...(snapshots && {
          saving: {
            every: snapshots.every,
            save: (name: string) => this.#parts.snapshots.createWithin(record, name),
          },
        }),
        onOver: (reason, message) => this.#endLater(entry, reason, message),
      });
      const entry = new Entry(folder, stored);
      const { id, started_at } = stored;
      const { name, project_name: project, os } = record;
      try {
        await this.#discard(record.id);
        await folder.create();
        await folder.saveState(stored);
        await recorder.begin({ id, started_at, computer: { project, name, os } });
        signal?.throwIfAborted();
      } catch (error) {
        await folder.remove().catch(() => undefined);
        throw error instanceof ApiError ? error : unwritable(error);
      }
      this.#entries.set(record.id, entry);
      this.#watch(entry, { recorder, session, owner, seconds: max_seconds });
      return shown(entry.stored);
    });
  }

  /** A client has made a snapshot: replays and copies may continue from there. */
  async snapshotMade({ id }: ComputerRecord, name: string): Promise<void> {
    await this.#entries.get(id)?.recorder?.snapshotMade(name);
  }

  get(record: ComputerRecord): Trajectory {
    return shown(this.#find(record).stored);
  }

  /** Ends the recording; without effect on one that has ended. */
  async end(record: ComputerRecord): Promise<Trajectory> {
    const entry = this.#find(record);
    await this.#end(entry, 'request');
    return shown(entry.stored);
  }

  /** The files as a tar archive. Throws `rate_limited` if the owner reads too many of them. */
  archive(record: ComputerRecord): Readable {
    const { folder } = this.#find(record);
    const read = [...this.#entries.values()]
      .filter(({ stored }) => stored.owner_id === record.owner_id)
      .reduce((sum, entry) => sum + entry.folder.archives, 0);
    if (read >= MOST_ARCHIVES) throw tooManyArchives(MOST_ARCHIVES);
    return folder.archive();
  }

  /** Some steps, in the order in which they ended; none if there is no trajectory. */
  steps({ id }: ComputerRecord, wanted: StepsWanted, signal?: AbortSignal) {
    return this.#reader.read(this.#entries.get(id), wanted, signal);
  }

  /** A picture, by its name in the steps. */
  async picture(record: ComputerRecord, name: string): Promise<Readable> {
    const picture = await this.#find(record).folder.openPicture(name);
    if (picture === undefined) throw noPicture(record, name);
    return picture;
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
    if (entry === undefined) throw noTrajectory(record);
    return entry;
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
    entry.begin({
      recorder,
      dispose: () => {
        clearTimeout(timer);
        for (const one of forget) one();
      },
    });
    forget.push(session.onClose(() => this.#endLater(entry, 'computer')));
    // Calls back at once if the key has ended meanwhile.
    forget.push(this.#parts.apiKeys.whileValid(owner, () => this.#endLater(entry, 'key')));
  }

  #endLater(entry: Entry, reason: EndReason, message?: string): void {
    void this.#end(entry, reason, message);
  }

  async #end(entry: Entry, reason: EndReason, message?: string): Promise<void> {
    // On a full disk the next start of the service counts the files.
    await entry.end(reason, message).catch((error: unknown) => this.#warn(error));
  }

  #free(): Promise<number> {
    const { store, freeBytes: measure = freeBytes } = this.#parts;
    return measure(store.directory);
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

  /** Reserves room for another trajectory: removes ended ones of the owner. */
  async #makeRoom({ owner_id, id }: ComputerRecord): Promise<void> {
    const [entries, starting, changing] = [this.#entries, this.#starting, this.#changing];
    const projectOf = (computer: string) =>
      this.#parts.store.computers.findById(computer)?.project_id;
    const state = { entries, starting, changing, projectOf };
    for (;;) {
      const oldest = toRemove(state, { owner_id, id }, this.#limits);
      if (oldest === undefined) break;
      await this.#discard(oldest);
    }
    this.#starting.set(id, owner_id);
  }

  #tidy(): void {
    for (const [id, { stored, keptMs }] of this.#entries) {
      if (stored.ended_at !== null && keptMs > KEPT_MS) this.computerRemoved(id);
    }
  }

  /** Finds the trajectories of an earlier process. */
  #recover(): void {
    const { store } = this.#parts;
    const isComputer = (id: string) => store.computers.findById(id) !== undefined;
    const directory = join(store.directory, DIRECTORY);
    recoverAll(directory, isComputer, {
      onFound: (id, entry) => this.#entries.set(id, entry),
      onUseless: (folder) => void folder.remove().catch((error: unknown) => this.#warn(error)),
      onFailed: (error) => this.#warn(error),
    });
  }

  #warn(error: unknown): void {
    this.#parts.log.warn({ reason: errorMessage(error) }, 'trajectory');
  }
}
