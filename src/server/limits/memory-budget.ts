import { type KeyInUse, KeyShares, queueOf } from '../../fleet/accounts/limits/key-shares.js';
import { onAbort } from '../../lib/async/abort.js';

export interface MemoryLimits {
  /** Bytes that one owner may hold. */
  readonly ownerBytes: number;
  /** The same for all owners. */
  readonly bytes: number;
}

interface Turn {
  readonly key: KeyInUse;
  readonly bytes: number;
  begin(): void;
}

/** Limits memory per owner and in total. An owner that holds nothing may always hold one piece. */
export class MemoryBudget {
  readonly #limits: MemoryLimits;
  readonly #held = new Map<string, KeyShares>();
  readonly #waiting = new Set<Turn>();
  #bytes = 0;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  /**
   * Holds the bytes if there is room for them, after those that wait. `held` are those that the same
   * piece holds already.
   */
  tryHold(key: KeyInUse, bytes: number, held = 0): boolean {
    const queue = queueOf(key);
    const isNext = ![...this.#waiting].some((turn) => queueOf(turn.key) === queue);
    if (!isNext) return false;
    this.#add(key, -held);
    const fits = this.#fits(key, held + bytes);
    this.#add(key, fits ? held + bytes : held);
    return fits;
  }

  /** Resolves when the bytes are held. Rejects with the signal's reason. */
  hold(key: KeyInUse, bytes: number, signal: AbortSignal): Promise<void> {
    if (this.tryHold(key, bytes)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      let dispose = () => {};
      const turn: Turn = {
        ...{ key, bytes },
        begin: () => {
          this.#waiting.delete(turn);
          dispose();
          this.#add(key, bytes);
          resolve();
        },
      };
      this.#waiting.add(turn);
      dispose = onAbort(signal, (reason) => {
        this.#waiting.delete(turn);
        reject(reason);
        this.#next();
      });
    });
  }

  /** With the key that held them. */
  release(key: KeyInUse, bytes: number): void {
    this.#add(key, -bytes);
    this.#next();
  }

  #fits(key: KeyInUse, bytes: number): boolean {
    const held = this.#held.get(key.ownerId);
    if (held === undefined) return true;
    return held.fits(key, bytes) && this.#bytes + bytes <= this.#limits.bytes;
  }

  #add(key: KeyInUse, bytes: number): void {
    const held = this.#held.get(key.ownerId) ?? new KeyShares(this.#limits.ownerBytes);
    held.add(key, bytes);
    this.#bytes += bytes;
    if (held.isEmpty) this.#held.delete(key.ownerId);
    else this.#held.set(key.ownerId, held);
  }

  /** Begins what fits now, each queue's in order. */
  #next(): void {
    const blocked = new Set<string>();
    for (const turn of this.#waiting) {
      const queue = queueOf(turn.key);
      if (blocked.has(queue)) continue;
      if (this.#fits(turn.key, turn.bytes)) turn.begin();
      else blocked.add(queue);
    }
  }
}
