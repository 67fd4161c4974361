import { printable } from '../../lib/text/printable.js';
import { type Candidate, type CommandLine, offer, type Wanted } from './offer.js';

/** Lists names of a kind. */
export type ListNames = (wanted: Wanted) => Promise<readonly Candidate[]>;

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
  const { candidates, completes, prefix = '', given, args } = offer(line, words);
  const typed = words.at(-1) ?? '';
  const isPlace = completes === 'copy-path';
  // The path behind the colon is in the computer.
  const isRemote = isPlace && typed.includes(':');
  const kind = isRemote ? 'remote-path' : isPlace ? 'running-computer' : completes;
  const names =
    kind === undefined || kind === 'file' || kind === 'command'
      ? []
      : await found(listNames, { kind, given, args, typed: typed.slice(prefix.length) });
  const directives = [
    ...((isPlace && !isRemote) || completes === 'file' ? ['files'] : []),
    ...(isPlace ? ['nospace'] : []),
  ];
  const end = isPlace && !isRemote ? ':' : '';
  return [
    ...candidates.map(asLine),
    ...names.map((name) => asLine({ ...name, value: `${prefix}${printable(name.value)}${end}` })),
    `:${directives.join(',')}`,
  ];
}

/** Without a service there are no names, but the other candidates are still offered. */
async function found(listNames: ListNames, wanted: Wanted) {
  return listNames(wanted).catch(() => []);
}

function asLine({ value, summary }: Candidate): string {
  return summary === undefined ? value : `${value}\t${printable(summary)}`;
}
