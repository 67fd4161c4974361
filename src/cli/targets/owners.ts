import { argument, many, value } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';

export const ownerArgument = argument('owner', 'name or id', nonEmpty, { completes: 'owner' });
export const manyOwners = many('owner', 'name or id', { completes: 'owner' });

/** `--owner` of commands that administrators can use for another owner. */
export const ownerOption = value(
  '--owner <owner>',
  'of this owner, by name or id; for administrators',
  nonEmpty,
  { completes: 'owner' },
);
