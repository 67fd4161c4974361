import { nextTurn, TurnBudget } from '../lib/async/next-turn.js';

/** Views that begin a frame in one turn of the event loop without waiting. */
const AT_ONCE = 8;

const inThisTurn = new TurnBudget(AT_ONCE);

/** Before a frame begins: resolves at once while few views are changing, else in a turn with few others. */
export async function frameTurn(ownerId: string): Promise<void> {
  if (!inThisTurn.fits(1)) await nextTurn(ownerId);
}
