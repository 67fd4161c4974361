import { CommanderError } from 'commander';
import { UsageError } from './errors.js';
import { isGroup, tree } from './tree.js';
import { commandWords } from './words.js';

/** Commands whose further words belong to a program. */
const RUNS_A_PROGRAM = ['exec'];

/** Commander's errors, and usage errors that say nothing of what to do, with what to do next. */
export function usageOf(error: unknown, argv: readonly string[]): unknown {
  const words = commandWords(argv).filter((word) => /^[a-z]+$/.test(word));
  const help = (path: readonly string[]) => `see: ${['vc', ...path, '--help'].join(' ')}`;
  if (error instanceof CommanderError) {
    const [message = '', said] = error.message.replace(/^error: /, '').split('\n');
    const isUnknown = error.code === 'commander.unknownCommand';
    const next = said?.replace(/^\(|\)$/g, '') ?? advice(error.code, words);
    const path = isUnknown ? words.filter(isNoun).slice(0, 1) : words;
    return new UsageError(message, [next, help(path)].filter(Boolean).join(' '));
  }
  if (error instanceof UsageError && error.hint === undefined) {
    return new UsageError(error.message, help(words));
  }
  return error;
}

/** What somebody who wrote that most likely wanted; undefined where nothing is likely. */
function advice(code: string, words: readonly string[]): string | undefined {
  const [first = '', verb = ''] = words;
  if (code === 'commander.unknownCommand' && !isNoun(first)) {
    const nouns = tree.filter(isGroup).filter(({ verbs }) => Object.hasOwn(verbs, first));
    // Most verbs are a computer's; of several nouns it is what most people mean.
    const noun = nouns.find(({ name }) => name === 'computer') ?? nouns[0];
    return noun && `Did you mean vc ${noun.name} ${first}?`;
  }
  if (code === 'commander.excessArguments') return 'Put quotes around words that belong together.';
  if (code === 'commander.unknownOption' && RUNS_A_PROGRAM.includes(verb)) {
    return 'Put -- before a program with options of its own, as in: -- ls -la.';
  }
  return undefined;
}

function isNoun(word: string): boolean {
  return tree.some(
    (node) => node.name === word || (isGroup(node) && (node.aliases ?? []).includes(word)),
  );
}
