import { ApiError } from '../../contract/errors.js';
import type { ViewMode } from '../../contract/sockets/view.js';
import { generateTicket, hashApiKey } from '../computers/ids.js';
import type { Owner } from './api-keys.js';

/** Lifetime of a ticket in milliseconds. */
const LIFE_MS = 60_000;
/** Open tickets of an owner; beyond it the oldest is dropped. */
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
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Issues a ticket. Returns its text, which is not stored, and the wall-clock time of its expiry. */
  issue(grant: G): { readonly text: string; readonly expiresAt: Date } {
    const now = this.#now();
    // All tickets live equally long, so the map is sorted by expiry.
    for (const [hash, { expiresAt }] of this.#tickets) {
      if (expiresAt > now) break;
      this.#tickets.delete(hash);
    }
    const text = generateTicket();
    const hash = hashApiKey(text);
    this.#tickets.set(hash, { ...grant, expiresAt: now + LIFE_MS });
    const own = [...this.#tickets].filter(([, { owner }]) => owner.id === grant.owner.id);
    for (const [oldest] of own.slice(0, Math.max(0, own.length - MOST))) {
      this.#tickets.delete(oldest);
    }
    return { text, expiresAt: new Date(Date.now() + LIFE_MS) };
  }

  /** Revokes the tickets that were issued with a key. */
  revoke(keyId: string): void {
    for (const [hash, { owner }] of this.#tickets) {
      if (owner.keyId === keyId) this.#tickets.delete(hash);
    }
  }

  /**
   * The access that the ticket grants; the ticket is used up by this call. Throws
   * ApiError `unauthorized` for one that was used, has expired or is for another computer.
   */
  redeem(text: string, computerId: string): G {
    const hash = hashApiKey(text);
    const ticket = this.#tickets.get(hash);
    this.#tickets.delete(hash);
    if (ticket && ticket.expiresAt > this.#now() && ticket.computerId === computerId) return ticket;
    throw new ApiError(
      'unauthorized',
      'This link has been used, has expired, or is for another computer. Ask for a new one.',
    );
  }
}
