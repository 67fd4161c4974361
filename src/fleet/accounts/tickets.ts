import { ApiError } from '../../contract/errors.js';
import type { ViewMode } from '../../contract/sockets/view.js';
import { generateTicket, hashApiKey } from '../computers/ids.js';
import type { HolderOf } from '../store/accounts/key-holders.js';
import { divideShares } from '../store/limits/shares.js';
import type { Owner } from './api-keys.js';
import { oldestOfEach } from './oldest.js';

/** Lifetime of a ticket in milliseconds. */
const LIFE_MS = 60_000;
/** Open tickets of an owner; the oldest ones are dropped as `divideShares` says. */
const MOST = 1_000;

/** The access that a ticket grants, once. */
interface Grant {
  readonly computerId: string;
  readonly owner: Owner;
}

export interface ViewGrant extends Grant {
  readonly mode: ViewMode;
}

export interface BrowserGrant extends Grant {
  /** Id of a temporary browser; absent for the one of the kept profile. */
  readonly temporary?: string | undefined;
}

type Ticket<G extends Grant> = G & {
  /** In milliseconds of the monotonic clock: the wall clock may jump. */
  readonly expiresAt: number;
};

/**
 * Tickets for the live view and the browser: single-use, short-lived, for one computer and one use.
 * They are kept in memory, by their hashes: a restart of the service ends them all.
 */
export class Tickets<G extends Grant = ViewGrant> {
  readonly #tickets = new Map<string, Ticket<G>>();
  /** Hashes of each owner's open tickets with the ids of their keys, the oldest first. */
  readonly #ofOwner = new Map<string, Map<string, string>>();
  readonly #now: () => number;
  readonly #holderOf: HolderOf;

  constructor(holderOf: HolderOf, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#holderOf = holderOf;
  }

  /** Issues a ticket. Returns its text, which is not stored, and the wall-clock time of its expiry. */
  issue(grant: G): { readonly text: string; readonly expiresAt: Date } {
    const now = this.#now();
    // All tickets live equally long, so the map is sorted by expiry.
    for (const [hash, { expiresAt }] of this.#tickets) {
      if (expiresAt > now) break;
      this.#delete(hash);
    }
    const own = this.#ofOwner.get(grant.owner.id) ?? new Map();
    const text = generateTicket();
    const hash = hashApiKey(text);
    this.#tickets.set(hash, { ...grant, expiresAt: now + LIFE_MS });
    this.#ofOwner.set(grant.owner.id, own.set(hash, grant.owner.keyId));
    const dropped = oldestOfEach(own, this.#holderOf, (counts) => divideShares(counts, MOST));
    for (const each of dropped) this.#delete(each);
    return { text, expiresAt: new Date(Date.now() + LIFE_MS) };
  }

  /** Revokes the tickets that were issued with a key. */
  revoke(keyId: string): void {
    for (const [hash, { owner }] of this.#tickets) {
      if (owner.keyId === keyId) this.#delete(hash);
    }
  }

  /**
   * The access that the ticket grants; the ticket is used up by this call. Throws
   * ApiError `unauthorized` for one that was used, has expired or is for another computer.
   */
  redeem(text: string, computerId: string): G {
    const hash = hashApiKey(text);
    const ticket = this.#tickets.get(hash);
    this.#delete(hash);
    if (ticket && ticket.expiresAt > this.#now() && ticket.computerId === computerId) return ticket;
    throw new ApiError(
      'unauthorized',
      'This link has been used, has expired, or is for another computer. Ask for a new one.',
    );
  }
  #delete(hash: string): void {
    const ownerId = this.#tickets.get(hash)?.owner.id;
    this.#tickets.delete(hash);
    if (ownerId === undefined) return;
    const own = this.#ofOwner.get(ownerId);
    own?.delete(hash);
    if (own?.size === 0) this.#ofOwner.delete(ownerId);
  }
}
