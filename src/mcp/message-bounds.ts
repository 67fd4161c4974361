import { beyond } from '../lib/json/bounds.js';

/**
 * What a message may hold: 99 actions have about 2,000 values. The SDK's checks of longer lists take
 * memory and time that grow with them, and answer a line for each item.
 */
const BOUNDS = { levels: 64, values: 5_000, fields: 1_000 };

/** Why a message is refused before it is checked; undefined if it is not. */
export function excessOf(message: unknown): string | undefined {
  // Earlier revisions allowed several; each could have a large answer.
  if (Array.isArray(message)) return 'Invalid request: send each message by itself.';
  const excess = beyond(message, BOUNDS);
  if (excess === undefined) return undefined;
  return `Invalid request: a message has at most ${BOUNDS[excess]} ${excess}.`;
}
