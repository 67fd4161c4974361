import { ApiError } from '../../contract/errors.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import { type KeyInUse, KeyShares } from '../../fleet/accounts/limits/key-shares.js';

export interface SocketLimits {
  /** WebSockets of one owner. */
  readonly sockets: number;
  /** Those of them that report the computers on a wall. */
  readonly walls: number;
  /** Received bytes of one owner that have not been consumed yet. */
  readonly ownerBytes: number;
  /** The same for all owners. Beyond it, those may have more who have less than an equal part. */
  readonly bytes: number;
  /** Bytes that a socket may always hold. */
  readonly guaranteed: number;
  /** Unsent bytes of one owner and of all, above which each socket may have less of them. */
  readonly ownerUnsent: number;
  readonly unsent: number;
}

/** Output pauses while this many bytes are queued for a slow client, or fewer if many clients are slow. */
const HIGH_WATER = 1024 * 1024;
const LOW_WATER = 32 * 1024;

const LIMITS: SocketLimits = {
  sockets: 512,
  walls: 16,
  ownerBytes: 64 * 1024 * 1024,
  bytes: 256 * 1024 * 1024,
  guaranteed: 128 * 1024,
  ownerUnsent: 64 * 1024 * 1024,
  unsent: 256 * 1024 * 1024,
};

interface OwnersSockets {
  readonly sockets: KeyShares;
  readonly walls: KeyShares;
  readonly bytes: KeyShares;
  unsent: number;
}

/** Limits the WebSockets of each owner, and the memory that their messages take. */
export class SocketBudget {
  readonly #keyOf: (owner: Owner) => KeyInUse;
  readonly #limits: SocketLimits;
  readonly #owners = new Map<string, OwnersSockets>();
  #bytes = 0;
  #unsent = 0;

  constructor(keyOf: (owner: Owner) => KeyInUse, limits: Partial<SocketLimits> = {}) {
    this.#keyOf = keyOf;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Counts another socket of the owner. Throws `rate_limited` at the limit. */
  open(by: Owner, kind: 'wall' | 'other' = 'other'): SocketShare {
    const key = this.#keyOf(by);
    const owner = this.#owners.get(by.id) ?? this.#newOwner();
    const walls = kind === 'wall' ? 1 : 0;
    if (!owner.sockets.fits(key, 1)) {
      throw new ApiError(
        'rate_limited',
        `You have too many open connections; the limit is ${owner.sockets.describe(key)}.`,
        { remedy: 'Close processes, tunnels, live views or pages of the dashboard first.' },
      );
    }
    if (!owner.walls.fits(key, walls)) {
      throw new ApiError(
        'rate_limited',
        `You have too many open connections to /wall; the limit is ${owner.walls.describe(key)}.`,
        { remedy: 'Close one first, or a page of the dashboard.' },
      );
    }
    this.#owners.set(by.id, owner);
    owner.sockets.add(key, 1);
    owner.walls.add(key, walls);
    let held = 0;
    let isOpen = true;
    const hold = (bytes: number) => {
      if (!isOpen) return;
      held += bytes;
      owner.bytes.add(key, bytes);
      this.#bytes += bytes;
      if (bytes <= 0 || held <= this.#limits.guaranteed) return;
      if (!owner.bytes.fits(key, 0) || this.#isGreedy(owner)) {
        throw new ApiError('rate_limited', 'Your connections send faster than they are read.', {
          remedy: 'Send smaller messages, or use fewer connections.',
        });
      }
    };
    let queued = 0;
    const send = (bytes: number) => {
      if (!isOpen) return;
      queued += bytes;
      owner.unsent += bytes;
      this.#unsent += bytes;
    };
    const { ownerUnsent, unsent } = this.#limits;
    const isCrowded = () => owner.unsent > ownerUnsent || this.#unsent > unsent;
    return {
      hold,
      send,
      highWater: () => (isCrowded() ? LOW_WATER : HIGH_WATER),
      close: () => {
        if (!isOpen) return;
        hold(-held);
        send(-queued);
        isOpen = false;
        owner.sockets.add(key, -1);
        owner.walls.add(key, -walls);
        if (owner.sockets.isEmpty) this.#owners.delete(by.id);
      },
    };
  }

  /** All owners have too much in memory, and this one more than an equal part of it. */
  #isGreedy({ bytes }: OwnersSockets): boolean {
    const { bytes: most } = this.#limits;
    return this.#bytes > most && bytes.total > most / this.#owners.size;
  }

  #newOwner(): OwnersSockets {
    const { sockets, walls, ownerBytes } = this.#limits;
    return {
      ...{ sockets: new KeyShares(sockets), walls: new KeyShares(walls) },
      ...{ bytes: new KeyShares(ownerBytes), unsent: 0 },
    };
  }
}

/** One socket's part of its owner's budget. */
export interface SocketShare {
  /** Counts bytes in memory, or no longer if negative. Throws `rate_limited` beyond the limit. */
  hold(bytes: number): void;
  /** Counts bytes that wait for the client to read them, or no longer if negative. */
  send(bytes: number): void;
  /** How many of them may wait. */
  highWater(): number;
  /** Returns everything. Idempotent. */
  close(): void;
}
