import { withAnySignal } from '../../lib/async/abort.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Log } from '../../lib/log.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { JobState } from '../../shell/jobs/types.js';
import type { Machines } from '../lifecycle/machines.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';

/** One question to a computer takes at most this long. */
const ASK_MS = 60_000;
/** Between two questions, and after a failure. */
const PAUSE_MS = 1_000;
const RETRY_MS = 3_000;
/** Jobs that are watched of one computer; it keeps as many. */
const MOST = 100;

interface Parts {
  readonly store: Store;
  readonly machines: Machines;
  readonly log: Log;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/**
 * Reports the end of background commands as events. What is watched is in the store, so that the end
 * of a command is reported even if the service was restarted meanwhile. Watching a computer does not
 * count as using it.
 */
export class JobWatch {
  readonly #parts: Parts;
  /** The current question of each watched computer; aborted for a new one. */
  readonly #questions = new Map<string, AbortController>();

  constructor(parts: Parts) {
    this.#parts = parts;
    for (const id of parts.store.watchedJobs.computers()) void this.#watch(id);
  }

  started({ id }: Pick<ComputerRecord, 'id'>, job: string): void {
    const { store, log } = this.#parts;
    try {
      const [oldest, ...others] = store.watchedJobs.list(id);
      if (oldest !== undefined && others.length >= MOST - 1) store.watchedJobs.remove(id, oldest);
      store.watchedJobs.add(id, job);
    } catch (error) {
      // A full disk must not fail the command, which runs.
      log.warn({ computer: id, reason: errorMessage(error) }, 'a job cannot be watched');
      return;
    }
    const asking = this.#questions.get(id);
    if (asking === undefined) void this.#watch(id);
    else asking.abort();
  }

  /**
   * A client has been told the state of these jobs: reports those that have ended, before it can stop
   * or delete the computer.
   */
  seen({ id }: Pick<ComputerRecord, 'id'>, jobs: readonly JobState[]): void {
    const ended = jobs.filter(({ status }) => status === 'exited');
    if (ended.length === 0) return;
    try {
      for (const job of ended) this.#report(id, job.id, job);
    } catch (error) {
      this.#parts.log.warn(
        { computer: id, reason: errorMessage(error) },
        'a job is reported later',
      );
    }
  }

  async #watch(computerId: string): Promise<void> {
    const { store, stopping, log } = this.#parts;
    const question = () => {
      const asking = new AbortController();
      this.#questions.set(computerId, asking);
      return asking.signal;
    };
    let signal = question();
    try {
      for (let ids = store.watchedJobs.list(computerId); ids.length > 0; ) {
        const asked = withAnySignal([stopping, signal], (either) =>
          this.#ask(computerId, ids, either),
        );
        const pause = await asked.then(
          () => PAUSE_MS,
          (error: unknown) => {
            if (signal.aborted) return 0;
            log.debug({ computer: computerId, err: error }, 'the jobs cannot be watched now');
            return RETRY_MS;
          },
        );
        if (signal.aborted) signal = question();
        await withAnySignal([stopping, signal], (either) => sleep(pause, either)).catch(
          () => undefined,
        );
        if (stopping.aborted) return;
        if (signal.aborted) signal = question();
        ids = store.watchedJobs.list(computerId);
      }
    } catch (error) {
      log.warn({ computer: computerId, err: error }, 'the jobs are no longer watched');
    } finally {
      this.#questions.delete(computerId);
    }
  }

  /** Waits for the end of one of the jobs, and reports those that have ended. */
  async #ask(computerId: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    const { store, machines } = this.#parts;
    const record = store.computers.findById(computerId);
    if (record === undefined) return;
    if (['starting', 'stopping', 'deleting'].includes(record.status)) return;
    if (record.status !== 'running') {
      for (const id of ids) this.#report(computerId, id, undefined);
      return;
    }
    const { session } = machines.of(record);
    const closed = new AbortController();
    const release = session.onClose(() => closed.abort());
    const either = AbortSignal.any([signal, closed.signal]);
    const jobs = await session.shell
      .watch((shell) => shell.jobs.settled(ids, ASK_MS, either), either)
      .finally(release);
    for (const id of ids) {
      const job = jobs.find((one) => one.id === id);
      if (job?.status !== 'running') this.#report(computerId, id, job);
    }
  }

  /** `job` is undefined if the computer no longer knows how it ended. */
  #report(computerId: string, id: string, job: JobState | undefined): void {
    const { store } = this.#parts;
    const ended_at = job?.endedAt?.toISOString() ?? null;
    // Its end may have been reported meanwhile.
    if (!store.watchedJobs.list(computerId).includes(id)) return;
    store.transaction(() => {
      store.watchedJobs.remove(computerId, id);
      store.events.add(computerId, 'job.exited', {
        id,
        exit_code: job?.exitCode ?? null,
        ended_at,
      });
    });
    const record = store.computers.findById(computerId);
    if (record !== undefined) store.written.notify(record.owner_id);
  }
}
