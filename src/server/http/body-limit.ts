import { ApiError } from '../../contract/errors.js';
import { type LongCaller, LongTurns, TurnBudget } from '../../lib/async/next-turn.js';
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

const turns = new LongTurns();

/**
 * Whether a text may be parsed in this turn of the event loop, and counts it then. If not, wait for
 * {@link ownersTurn}.
 */
export function fitsTurn(characters: number): boolean {
  return inThisTurn.fits(characters);
}

/**
 * Waits for a turn of the event loop with no other text that waits. After a long one the owner's next
 * text rests. Rejects with the signal's reason.
 */
export function ownersTurn(caller: LongCaller, signal: AbortSignal): Promise<void> {
  return turns.enter(caller, signal);
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
