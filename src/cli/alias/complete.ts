import { splitWords } from '../../lib/text/split-words.js';
import type { CommandLine } from '../completion/offer.js';
import { type Aliases, argumentCount } from './expand.js';

/** The command line with the aliases among its commands. */
export function withAliases(line: CommandLine, aliases: Aliases): CommandLine {
  const singles = Object.entries(aliases).map(([name, stands]) => ({
    names: [name],
    summary: `alias of vc ${stands}`,
    options: [],
    arguments: [],
  }));
  return { ...line, singles: [...line.singles, ...singles] };
}

/** The words with a first one that is an alias expanded, so that its arguments are completed. */
export function aliasExpanded(words: readonly string[], aliases: Aliases): readonly string[] {
  const [name = '', ...rest] = words;
  const stands = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (stands === undefined || rest.length === 0 || argumentCount(stands) > 0) return words;
  return [...(splitWords(stands) ?? []), ...rest];
}
