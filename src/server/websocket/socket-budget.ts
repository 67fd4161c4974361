import { ApiError } from '../../contract/errors.js';

export interface SocketLimits {
  /** WebSockets of one owner. */
  readonly sockets: number;
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
  ownerBytes: 64 * 1024 * 1024,
  bytes: 256 * 1024 * 1024,
  guaranteed: 128 * 1024,
  ownerUnsent: 64 * 1024 * 1024,
  unsent: 256 * 1024 * 1024,
};

/** Limits the WebSockets of each owner, and the memory that their messages take. */
export class SocketBudget {
  readonly #limits: SocketLimits;
  readonly #owners = new Map<string, { sockets: number; bytes: number; unsent: number }>();
  #bytes = 0;
  #unsent = 0;

  constructor(limits: Partial<SocketLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Counts another socket of the owner. Throws `rate_limited` at the limit. */
  open(ownerId: string): SocketShare {
    const owner = this.#owners.get(ownerId) ?? { sockets: 0, bytes: 0, unsent: 0 };
    if (owner.sockets >= this.#limits.sockets) {
      throw new ApiError(
        'rate_limited',
        `You have too many open connections; the limit is ${this.#limits.sockets}.`,
        { remedy: 'Close processes, tunnels or live views first.' },
      );
    }
    this.#owners.set(ownerId, owner);
    owner.sockets += 1;
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
