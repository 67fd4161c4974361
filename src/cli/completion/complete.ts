import { printable } from '../../lib/text/printable.js';
import type { NameKind } from './names.js';
import { type Candidate, type CommandLine, type Offer, offer } from './offer.js';

/** Lists the names of a kind, under the options that the command line has so far. */
export type ListNames = (kind: NameKind, given: Offer['given']) => Promise<readonly string[]>;

/**
 * Answers a completion script. Each line is a candidate, with a tab and its description if it has
 * one; the last line is `:` and what the script does besides, separated by commas: `files` offers
 * local files, `nospace` leaves the cursor at the end of the candidate. The shell filters the
 * candidates by what has been typed.
 */
export async function complete(
  line: CommandLine,
  words: readonly string[],
  listNames: ListNames,
): Promise<string[]> {
  const { candidates, completes, prefix = '', given } = offer(line, words);
  const isPlace = completes === 'copy-path';
  // The path behind the colon is in the computer.
  if (isPlace && words.at(-1)?.includes(':')) return [':'];
  const kind = isPlace ? 'running-computer' : completes;
  const names = kind === undefined || kind === 'file' ? [] : await found(listNames, kind, given);
  const directives = [
    ...(isPlace || completes === 'file' ? ['files'] : []),
    ...(isPlace ? ['nospace'] : []),
  ];
  return [
    ...candidates.map(asLine),
    ...names.map((name) => `${prefix}${printable(isPlace ? `${name}:` : name)}`),
    `:${directives.join(',')}`,
  ];
}

/** Without a service there are no names, but the other candidates are still offered. */
async function found(listNames: ListNames, kind: NameKind, given: Offer['given']) {
  return listNames(kind, given).catch(() => []);
}

function asLine({ value, summary }: Candidate): string {
  return summary === undefined ? value : `${value}\t${summary}`;
}
