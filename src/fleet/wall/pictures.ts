import { withDeadline } from '../../lib/async/deadline.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Screen } from '../../screen/types.js';
import type { Machines } from '../lifecycle/machines.js';
import type { ComputerRecord } from '../store/records.js';

/** Time between two looks at any computers, and at the same one, in milliseconds. */
const STEP_MS = 100;
const ROUND_MS = 1_000;
/** A screen that nobody is connected to counts as changed so often, in milliseconds. */
const UNSEEN_MS = 30_000;
/** An unresponsive screen does not delay the others for longer, in milliseconds. */
const ANSWER_MS = 2_000;

/** What is known of a computer's picture. */
interface Seen {
  seq: number;
  /** Weak: its pixels take megabytes, and it may be closed while nobody watches. */
  screen: WeakRef<Screen> | undefined;
  version: number;
  /** When `seq` grew, in milliseconds of the monotonic clock. */
  at: number;
}

/**
 * Numbers the pictures of computers that someone watches: a number grows when its picture changes. It
 * looks only at screens that are connected anyway, one after the other and at most 10 a second, and
 * encodes nothing; watching keeps no connection open and is no use of a computer.
 */
export class Pictures {
  readonly #machines: Machines;
  readonly #seen = new Map<string, Seen>();
  readonly #watchers = new Map<(id: string) => void, () => readonly ComputerRecord[]>();
  readonly #closed = new AbortController();
  #isLooking = false;

  constructor(machines: Machines) {
    this.#machines = machines;
  }

  seqOf(id: string): number {
    return this.#seen.get(id)?.seq ?? 0;
  }

  /**
   * Watches the computers that `list` gives, and calls `changed` with the id of each whose picture has
   * changed, until the function returned is called.
   */
  watch(list: () => readonly ComputerRecord[], changed: (id: string) => void): () => void {
    this.#watchers.set(changed, list);
    if (!this.#isLooking) void this.#look();
    return () => this.#watchers.delete(changed);
  }

  close(): void {
    this.#closed.abort();
    this.#watchers.clear();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const { signal } = this.#closed;
    while (this.#watchers.size > 0 && !signal.aborted) {
      const began = performance.now();
      const watched = [...this.#watchers.values()].flatMap((list) => list());
      const running = new Map(watched.map((record) => [record.id, record]));
      for (const id of this.#seen.keys()) if (!running.has(id)) this.#forgetUnlessKnown(id);
      for (const record of running.values()) {
        if (record.status === 'running') await this.#lookAt(record.id, signal);
        await sleep(STEP_MS, signal).catch(() => undefined);
      }
      const rest = ROUND_MS - (performance.now() - began);
      if (rest > 0) await sleep(rest, signal).catch(() => undefined);
    }
    this.#isLooking = false;
  }

  async #lookAt(id: string, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const seen = this.#seen.get(id) ?? { seq: 0, screen: undefined, version: -1, at: now };
    this.#seen.set(id, seen);
    const screen = this.#machines.known(id)?.session.screen.present;
    if (screen === undefined) {
      if (now - seen.at >= UNSEEN_MS || seen.seq === 0) this.#grow(id, seen);
      return;
    }
    const deadline = { ms: ANSWER_MS, onTimeout: () => new Error('no answer'), signal };
    const version = await withDeadline(deadline, (either) => screen.refresh(either)).catch(
      () => undefined,
    );
    if (version === undefined) return;
    const isSame = seen.screen?.deref() === screen && seen.version === version;
    if (!isSame) Object.assign(seen, { screen: new WeakRef(screen), version });
    if (!isSame) this.#grow(id, seen);
  }

  #grow(id: string, seen: Seen): void {
    seen.seq += 1;
    seen.at = performance.now();
    for (const changed of this.#watchers.keys()) changed(id);
  }

  /** Numbers of deleted computers are not kept. */
  #forgetUnlessKnown(id: string): void {
    if (this.#machines.known(id) === undefined) this.#seen.delete(id);
  }
}
