import { withDeadline } from '../../lib/async/deadline.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Screen } from '../../screen/types.js';
import type { Machines } from '../lifecycle/machines.js';

/** Time between two looks at any computers, and at the same one, in milliseconds. */
const STEP_MS = 100;
const ROUND_MS = 1_000;
/** A screen that nobody is connected to counts as changed so often, in milliseconds. */
const UNSEEN_MS = 30_000;
/** An unresponsive screen does not delay the others of its owner for longer, in milliseconds. */
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

interface Watched {
  readonly watchers: Set<Watcher>;
  /** A screen of this owner has not answered yet. */
  isLooking: boolean;
}

/**
 * Numbers the pictures of computers that someone watches: a number grows when its picture changes. It
 * looks only at screens that are connected anyway, at most at 10 a second and at one of each owner at
 * a time, and encodes nothing; watching keeps no connection open and is no use of a computer. Owners
 * have their turns, so the many computers of one do not delay another's.
 */
export class Pictures {
  readonly #computers: Computers;
  readonly #seen = new Map<string, Seen>();
  /** The owner whose turn is next is first. */
  readonly #owners = new Map<string, Watched>();
  readonly #closed = new AbortController();
  #isRunning = false;

  constructor(computers: Computers) {
    this.#computers = computers;
  }

  seqOf(id: string): number {
    return this.#seen.get(id)?.seq ?? 0;
  }

  /**
   * Watches those of the owner's computers that are `running`, and calls `changed` with the id of each
   * whose picture has changed, until the function returned is called.
   */
  watch(
    ownerId: string,
    running: () => Iterable<string>,
    changed: (id: string) => void,
  ): () => void {
    const owner = this.#owners.get(ownerId) ?? { watchers: new Set(), isLooking: false };
    this.#owners.set(ownerId, owner);
    const watcher = { running, changed };
    owner.watchers.add(watcher);
    if (!this.#isRunning) void this.#run();
    return () => {
      owner.watchers.delete(watcher);
      if (owner.watchers.size === 0 && this.#owners.get(ownerId) === owner) {
        this.#owners.delete(ownerId);
      }
    };
  }

  /** Forgets a computer that was deleted. */
  computerRemoved(id: string): void {
    this.#seen.delete(id);
  }

  close(): void {
    this.#closed.abort();
    this.#owners.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#closed;
    while (this.#owners.size > 0 && !signal.aborted) {
      this.#step(signal);
      await sleep(STEP_MS, signal).catch(() => undefined);
    }
    this.#isRunning = false;
  }

  /** Begins to look at the next screen that is due. */
  #step(signal: AbortSignal): void {
    const now = performance.now();
    for (const [ownerId, owner] of this.#owners) {
      const id = owner.isLooking ? undefined : this.#nextOf(owner, now);
      if (id === undefined) continue;
      this.#owners.delete(ownerId);
      this.#owners.set(ownerId, owner);
      owner.isLooking = true;
      void this.#lookAt(id, owner, signal).finally(() => {
        owner.isLooking = false;
      });
      return;
    }
  }

  /** Its running computer that was not looked at for the longest time. */
  #nextOf({ watchers }: Watched, now: number): string | undefined {
    let next: string | undefined;
    let oldest = now - ROUND_MS;
    for (const { running } of watchers) {
      for (const id of running()) {
        const seen = this.#seen.get(id);
        if (seen === undefined && !this.#computers.exists(id)) continue;
        const lookedAt = seen?.lookedAt ?? Number.NEGATIVE_INFINITY;
        if (lookedAt > oldest || (next !== undefined && lookedAt === oldest)) continue;
        next = id;
        oldest = lookedAt;
      }
    }
    return next;
  }

  async #lookAt(id: string, { watchers }: Watched, signal: AbortSignal): Promise<void> {
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
      if (now - seen.at >= UNSEEN_MS || seen.seq === 0) grow(id, seen, watchers);
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
    grow(id, seen, watchers);
  }
}

function grow(id: string, seen: Seen, watchers: ReadonlySet<Watcher>): void {
  seen.seq += 1;
  seen.at = performance.now();
  for (const { changed } of watchers) changed(id);
}
