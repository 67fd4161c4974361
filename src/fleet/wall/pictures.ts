import { withDeadline } from '../../lib/async/deadline.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Screen } from '../../screen/types.js';
import type { Machines } from '../lifecycle/machines.js';

/** Time between two looks at any computers, and at the same one, in milliseconds. */
const STEP_MS = 100;
const ROUND_MS = 1_000;
/** A screen that nobody is connected to counts as changed so often, in milliseconds. */
const UNSEEN_MS = 30_000;
/** Time for a screen to answer, in milliseconds. */
const ANSWER_MS = 2_000;

/** What is known of a computer's picture. */
interface Seen {
  seq: number;
  /** Weak: its pixels take megabytes, and it may be closed while nobody watches. */
  screen: WeakRef<Screen> | undefined;
  version: number;
  /** When `seq` grew, and when it was looked at, in milliseconds of the monotonic clock. */
  at: number;
  lookedAt: number;
}

interface Computers extends Pick<Machines, 'known'> {
  /** False for a computer that was removed, which a list may still have for a moment. */
  exists(id: string): boolean;
}

interface Watcher {
  /** Ids of the computers that run. */
  running(): Iterable<string>;
  changed(id: string): void;
}

/**
 * Numbers the pictures of computers that someone watches: a number grows when its picture changes. It
 * looks only at screens that are connected anyway, at most at 10 a second, and encodes nothing;
 * watching keeps no connection open and is no use of a computer.
 */
export class Pictures {
  readonly #computers: Computers;
  readonly #seen = new Map<string, Seen>();
  readonly #watchers = new Set<Watcher>();
  /** Computers whose screens have not answered yet. */
  readonly #asked = new Set<string>();
  readonly #closed = new AbortController();
  #isRunning = false;

  constructor(computers: Computers) {
    this.#computers = computers;
  }

  seqOf(id: string): number {
    return this.#seen.get(id)?.seq ?? 0;
  }

  /**
   * Watches the computers that are `running`, until the function returned is called. Calls `changed` with
   * the id of each watched computer whose picture has changed, also of those of other watchers.
   */
  watch(running: () => Iterable<string>, changed: (id: string) => void): () => void {
    const watcher = { running, changed };
    this.#watchers.add(watcher);
    if (!this.#isRunning) void this.#run();
    return () => this.#watchers.delete(watcher);
  }

  /** Forgets a computer that was deleted. */
  computerRemoved(id: string): void {
    this.#seen.delete(id);
  }

  close(): void {
    this.#closed.abort();
    this.#watchers.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#closed;
    while (this.#watchers.size > 0 && !signal.aborted) {
      this.#step(signal);
      await sleep(STEP_MS, signal).catch(() => undefined);
    }
    this.#isRunning = false;
  }

  /** Begins to look at the next screen that is due. */
  #step(signal: AbortSignal): void {
    const id = this.#next();
    if (id === undefined) return;
    this.#asked.add(id);
    void this.#lookAt(id, signal).finally(() => this.#asked.delete(id));
  }

  /** The running computer that was not looked at for the longest time. */
  #next(): string | undefined {
    let next: string | undefined;
    let oldest = performance.now() - ROUND_MS;
    for (const { running } of this.#watchers) {
      for (const id of running()) {
        const seen = this.#seen.get(id);
        if (this.#asked.has(id) || (seen === undefined && !this.#computers.exists(id))) continue;
        const lookedAt = seen?.lookedAt ?? Number.NEGATIVE_INFINITY;
        if (lookedAt > oldest || (next !== undefined && lookedAt === oldest)) continue;
        next = id;
        oldest = lookedAt;
      }
    }
    return next;
  }

  async #lookAt(id: string, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const seen = this.#seen.get(id) ?? {
      seq: 0,
      screen: undefined,
      version: -1,
      at: now,
      lookedAt: now,
    };
    seen.lookedAt = now;
    this.#seen.set(id, seen);
    const screen = this.#computers.known(id)?.session.screen.present;
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
    if (isSame) return;
    Object.assign(seen, { screen: new WeakRef(screen), version });
    this.#grow(id, seen);
  }

  #grow(id: string, seen: Seen): void {
    seen.seq += 1;
    seen.at = performance.now();
    for (const { changed } of this.#watchers) changed(id);
  }
}
