import { ApiError } from '../../contract/errors.js';
import { nearest } from '../../lib/text/nearest.js';

/** Longer names, and more of them, are not compared: the comparison takes time. */
const LONGEST_NAME = 128;
export const MOST_NAMES = 100;

/**
 * `not_found` for a `name` that does not exist. Its remedy names the nearest of `known`, which must
 * belong to the same owner, and the command that lists them.
 */
export function missing(
  what:
    | 'project'
    | 'computer'
    | 'snapshot'
    | 'image'
    | 'volume'
    | 'connection'
    | 'secret'
    | 'webhook'
    | 'API key'
    | 'owner'
    | 'cluster member'
    | 'published port'
    | 'run'
    | 'task of a run',
  name: string,
  { known = [], list }: { readonly known?: readonly string[]; readonly list: string },
): ApiError {
  const message = `There is no ${what} ${JSON.stringify(name)}.`;
  return new ApiError('not_found', message, { remedy: suggestion(name, known, list) });
}

/** `Did you mean "desk"? See: vc ls -p shop`, or only where to look. */
export function suggestion(name: string, known: readonly string[], list: string): string {
  const isComparable = name.length <= LONGEST_NAME;
  const near = isComparable ? nearest(name, known.slice(0, MOST_NAMES)) : undefined;
  return near === undefined ? `See: ${list}` : `Did you mean ${JSON.stringify(near)}? See: ${list}`;
}
