// Not the global function: a test that replaces it for a while would leave texts waiting.
import { setImmediate } from 'node:timers';
import { ApiError } from '../../contract/errors.js';
import { abortable } from '../../lib/async/abort.js';
import { deferred } from '../../lib/async/deferred.js';
import { KeyedQueue } from '../../lib/async/keyed-queue.js';
import { ownTurn, TurnBudget } from '../../lib/async/next-turn.js';
import { sleep } from '../../lib/async/sleep.js';
import { type JsonTextBounds, textBeyond } from '../../lib/json/bounds.js';

/** Largest body that is read into memory, in bytes. */
export const BODY_LIMIT = 8 * 1024 * 1024;

/**
 * What a body or message may hold. The contract needs five levels, 256 fields of an object, 27,000
 * fields for a batch of commands with many variables, and 300,000 values for one of drags on long
 * paths. Making and checking a value takes up to two microseconds, in which nobody else is answered.
 */
const BOUNDS: JsonTextBounds = {
  ...{ levels: 64, values: 400_000, fields: 4_000, allFields: 50_000 },
};

/** Characters of JSON that are parsed in a few milliseconds: those of one turn of the event loop. */
const SHORT = 64 * 1024;
const inThisTurn = new TurnBudget(SHORT);

/** Of each owner one text waits for its turn; the others wait here. */
const turns = new KeyedQueue();

/** Milliseconds of a turn with a text after which its owner's next one waits for four times as long. */
const LONG_MS = 10;
const REST = 4;

/**
 * Whether a text may be parsed in this turn of the event loop, and counts it then. If not, wait for
 * {@link ownersTurn}.
 */
export function fitsTurn(characters: number): boolean {
  return inThisTurn.fits(characters);
}

/**
 * Waits for a turn of the event loop with no other text that waits. After a long one the owner's next
 * text rests, so that long texts leave most of the time to others. Rejects with the signal's reason.
 */
export function ownersTurn(ownerId: string, signal: AbortSignal): Promise<void> {
  const turn = deferred<void>();
  void turns.run(ownerId, async () => {
    await ownTurn();
    if (signal.aborted) return;
    const begun = performance.now();
    turn.resolve();
    // The caller takes its text in this turn.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const ms = performance.now() - begun;
    if (ms > LONG_MS) await sleep(REST * ms);
  });
  return abortable(turn.promise, signal);
}

/** The error of a JSON text beyond the bounds; undefined if it is within them. */
export function excessOf(text: string, what: 'body' | 'message'): ApiError | undefined {
  switch (textBeyond(text, BOUNDS)) {
    case 'levels':
      return refusal(`The ${what} is nested more than ${BOUNDS.levels} levels deep.`);
    case 'values':
      return refusal(`The ${what} has more than ${BOUNDS.values} values.`);
    case 'fields':
      return refusal(`An object in the ${what} has more than ${BOUNDS.fields} fields.`);
    case 'allFields':
      return refusal(`The objects in the ${what} have more than ${BOUNDS.allFields} fields.`);
    default:
      return undefined;
  }
}

function refusal(message: string): ApiError {
  return new ApiError('invalid_request', message);
}
