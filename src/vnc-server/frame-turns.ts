import { nextTurn, TurnBudget } from '../lib/async/next-turn.js';

/** Bytes of pixels of all views that are encoded in one turn of the event loop without waiting. */
const AT_ONCE = 512 * 1024;
/** What small regions count as: an encoder takes some time for each. */
const LEAST = 4096;

const inThisTurn = new TurnBudget(AT_ONCE);

/**
 * Before so many bytes of pixels are copied or encoded: resolves at once while few views are changing,
 * else in a turn with few others.
 */
export async function frameTurn(ownerId: string, bytes = 0): Promise<void> {
  if (!inThisTurn.fits(Math.max(LEAST, bytes))) await nextTurn(ownerId);
}
