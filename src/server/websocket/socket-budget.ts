import { ApiError } from '../../contract/errors.js';

export interface SocketLimits {
  /** WebSockets of one owner. */
  readonly sockets: number;
  /** Those of them that report the computers on a wall. */
  readonly walls: number;
  /** Received bytes of one owner that have not been consumed yet. */
  readonly ownerBytes: number;
  /** The same for all owners. */
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
  sockets: number;
  walls: number;
  bytes: number;
  unsent: number;
}

/** Limits the WebSockets of each owner, and the memory that their messages take. */
export class SocketBudget {
  readonly #limits: SocketLimits;
  readonly #owners = new Map<string, OwnersSockets>();
  #bytes = 0;
  #unsent = 0;

  constructor(limits: Partial<SocketLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Counts another socket of the owner. Throws `rate_limited` at the limit. */
  open(ownerId: string, kind: 'wall' | 'other' = 'other'): SocketShare {
    const owner = this.#owners.get(ownerId) ?? { sockets: 0, walls: 0, bytes: 0, unsent: 0 };
    const walls = kind === 'wall' ? 1 : 0;
    if (owner.sockets >= this.#limits.sockets) {
      throw new ApiError(
        'rate_limited',
        `You have too many open connections; the limit is ${this.#limits.sockets}.`,
        { remedy: 'Close processes, tunnels, live views or pages of the dashboard first.' },
      );
    }
    if (owner.walls + walls > this.#limits.walls) {
      throw new ApiError(
        'rate_limited',
        `You have ${this.#limits.walls} open connections to /wall, which is the limit.`,
        { remedy: 'Close one first, or a page of the dashboard.' },
      );
    }
    this.#owners.set(ownerId, owner);
    owner.sockets += 1;
    owner.walls += walls;
    let held = 0;
    let isOpen = true;
    const hold = (bytes: number) => {
      if (!isOpen) return;
      held += bytes;
      owner.bytes += bytes;
      this.#bytes += bytes;
      if (bytes <= 0 || held <= this.#limits.guaranteed) return;
      if (owner.bytes > this.#limits.ownerBytes || this.#bytes > this.#limits.bytes) {
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
        owner.sockets -= 1;
        owner.walls -= walls;
        if (owner.sockets === 0) this.#owners.delete(ownerId);
      },
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
