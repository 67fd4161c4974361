import { ApiError } from '../contract/errors.js';
import type { ViewMode } from '../contract/view.js';
import type { Owner } from './access.js';
import { generateTicket, hashApiKey } from './ids.js';

/** A ticket opens the live view for so long, in milliseconds. */
const LIFE_MS = 60_000;
/** Tickets that may be open at once; the oldest gives way. */
const MOST = 10_000;

/** What a ticket lets its bearer do, once. */
export interface Ticket {
  readonly computerId: string;
  readonly owner: Owner;
  readonly mode: ViewMode;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Tickets for the live view: single-use, short-lived, for one computer and one mode. They are kept
 * in memory, by their hashes: a restart of the service ends them all.
 */
export class Tickets {
  readonly #tickets = new Map<string, Ticket>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A new ticket; its text is known to the caller alone. */
  issue(grant: Omit<Ticket, 'expiresAt'>): { readonly text: string; readonly expiresAt: number } {
    const now = this.#now();
    // Tickets live equally long, so the oldest come first.
    for (const [hash, { expiresAt }] of this.#tickets) {
      if (expiresAt > now && this.#tickets.size < MOST) break;
      this.#tickets.delete(hash);
    }
    const text = generateTicket();
    const expiresAt = now + LIFE_MS;
    this.#tickets.set(hashApiKey(text), { ...grant, expiresAt });
    return { text, expiresAt };
  }

  /** Makes void what was issued with a key. */
  revoke(keyId: string): void {
    for (const [hash, { owner }] of this.#tickets) {
      if (owner.keyId === keyId) this.#tickets.delete(hash);
    }
  }

  /**
   * What the ticket grants, which from now on it does no more, whatever comes of it. Throws
   * ApiError `unauthorized` for one that was used, has expired or is for another computer.
   */
  redeem(text: string, computerId: string): Ticket {
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
