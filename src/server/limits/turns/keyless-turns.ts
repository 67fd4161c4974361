import { TurnShare } from './turn-share.js';

/** Milliseconds of one turn of the event loop in which requests without a key begin. */
const MOST_MS = 5;
/** Of so many turns one is not left to new connections, of which any may bring a key. */
const ONE_OF = 64;

/**
 * The part of the event loop's turns that all requests without a key have together, one address after
 * the other. The turns after one in which some began are left to new connections.
 */
export class KeylessTurns extends TurnShare {
  /** `accepted` is the number of connections that the server has accepted. */
  constructor(accepted?: () => number) {
    const mostLeft = ONE_OF - 1;
    const ms = { mostMs: MOST_MS, queueMs: MOST_MS, shortMs: 0 };
    super({ ...ms, mostLeft, ...(accepted && { accepted }) });
  }
}
