import type { Queue } from '../../lib/async/queue.js';
import type { Screen } from '../../screen/types.js';
import type { Owner } from '../accounts/api-keys.js';

/** Milliseconds after the last action until what was left pressed is released. */
const HELD_MS = 60_000;

interface Held {
  readonly queue: Queue;
  readonly computerId: string;
  /** API keys whose requests pressed something. */
  readonly keyIds: Set<string>;
  timer: NodeJS.Timeout;
}

/**
 * Releases keys and buttons that clients left pressed on a screen: some time after the last action
 * on it, or when the API key of the client is removed. A screen that is closed releases them itself.
 */
export class HeldInput {
  readonly #held = new Map<Screen, Held>();
  /** Screens whose end is listened for. */
  readonly #seen = new WeakSet<Screen>();
  readonly #heldMs: number;

  constructor(heldMs = HELD_MS) {
    this.#heldMs = heldMs;
  }

  /** To be called after each action on a screen of a computer, whose actions run in `queue`. */
  acted(
    screen: Screen,
    {
      queue,
      keyId,
      computerId,
    }: Pick<Held, 'queue' | 'computerId'> & {
      readonly keyId: string | undefined;
    },
  ): void {
    const known = this.#held.get(screen);
    clearTimeout(known?.timer);
    if (!screen.open || !screen.holding) {
      this.#held.delete(screen);
      return;
    }
    if (!this.#seen.has(screen)) screen.once('close', () => this.#forget(screen));
    this.#seen.add(screen);
    const keyIds = known?.keyIds ?? new Set();
    if (keyId !== undefined) keyIds.add(keyId);
    const timer = setTimeout(() => this.#release(screen), this.#heldMs);
    timer.unref();
    this.#held.set(screen, { queue, computerId, keyIds, timer });
  }

  /** Releases what requests of the API key pressed. */
  keyRemoved(keyId: string): void {
    for (const [screen, { keyIds }] of this.#held) if (keyIds.has(keyId)) this.#release(screen);
  }

  /** Releases what is pressed on a computer, unless only requests of this owner's key pressed it. */
  releaseOthers(computerId: string, { keyId, sessionId }: Owner): void {
    for (const [screen, held] of this.#held) {
      const isOwn = sessionId === undefined && held.keyIds.size === 1 && held.keyIds.has(keyId);
      if (held.computerId === computerId && !isOwn) this.#release(screen);
    }
  }

  #release(screen: Screen): void {
    const held = this.#held.get(screen);
    this.#forget(screen);
    held?.queue.run(() => screen.releaseAll()).catch(() => undefined);
  }

  #forget(screen: Screen): void {
    clearTimeout(this.#held.get(screen)?.timer);
    this.#held.delete(screen);
  }
}
