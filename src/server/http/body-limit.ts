import { ApiError } from '../../contract/errors.js';
import { beyond, type JsonBounds } from '../../lib/json/bounds.js';

/** Largest body that is read into memory, in bytes. */
export const BODY_LIMIT = 8 * 1024 * 1024;

/**
 * What a body or message may hold. The contract needs five levels, 256 fields, and about 300,000 values
 * for a batch of drags on long paths. Checking a value takes up to two microseconds, in which nobody
 * else is answered.
 */
const BOUNDS: JsonBounds = { levels: 64, values: 400_000, fields: 4_000 };

/** The error of JSON beyond the bounds; undefined if it is within them. `what` is `body` or `message`. */
export function excessOf(value: unknown, what: 'body' | 'message'): ApiError | undefined {
  switch (beyond(value, BOUNDS)) {
    case 'levels':
      return refusal(`The ${what} is nested more than ${BOUNDS.levels} levels deep.`);
    case 'values':
      return refusal(`The ${what} has more than ${BOUNDS.values} values.`);
    case 'fields':
      return refusal(`An object in the ${what} has more than ${BOUNDS.fields} fields.`);
    default:
      return undefined;
  }
}

function refusal(message: string): ApiError {
  return new ApiError('invalid_request', message);
}
