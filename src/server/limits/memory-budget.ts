import { onAbort } from '../../lib/async/abort.js';

export interface MemoryLimits {
  /** Bytes that one owner may hold. */
  readonly ownerBytes: number;
  /** The same for all owners. */
  readonly bytes: number;
}

interface Turn {
  readonly ownerId: string;
  readonly bytes: number;
  begin(): void;
}

/** Limits memory per owner and in total. An owner that holds nothing may always hold one piece. */
export class MemoryBudget {
  readonly #limits: MemoryLimits;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Set<Turn>();
  #bytes = 0;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  /** Holds the bytes if there is room for them, after those that wait. */
  tryHold(ownerId: string, bytes: number): boolean {
    const isNext = ![...this.#waiting].some((turn) => turn.ownerId === ownerId);
    if (!isNext || !this.#fits(ownerId, bytes)) return false;
    this.#add(ownerId, bytes);
    return true;
  }

  /** Resolves when the bytes are held. Rejects with the signal's reason. */
  hold(ownerId: string, bytes: number, signal: AbortSignal): Promise<void> {
    if (this.tryHold(ownerId, bytes)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      let dispose = () => {};
      const turn: Turn = {
        ...{ ownerId, bytes },
        begin: () => {
          this.#waiting.delete(turn);
          dispose();
          this.#add(ownerId, bytes);
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

  release(ownerId: string, bytes: number): void {
    this.#add(ownerId, -bytes);
    this.#next();
  }

  #fits(ownerId: string, bytes: number): boolean {
    const held = this.#held.get(ownerId) ?? 0;
    const { ownerBytes, bytes: all } = this.#limits;
    return held === 0 || (held + bytes <= ownerBytes && this.#bytes + bytes <= all);
  }

  #add(ownerId: string, bytes: number): void {
    const held = (this.#held.get(ownerId) ?? 0) + bytes;
    this.#bytes += bytes;
    if (held > 0) this.#held.set(ownerId, held);
    else this.#held.delete(ownerId);
  }

  /** Begins what fits now, each owner's in order. */
  #next(): void {
    const blocked = new Set<string>();
    for (const turn of this.#waiting) {
      if (blocked.has(turn.ownerId)) continue;
      if (this.#fits(turn.ownerId, turn.bytes)) turn.begin();
      else blocked.add(turn.ownerId);
    }
  }
}
