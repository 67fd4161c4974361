import { CommanderError } from 'commander';
import { UsageError } from './errors.js';
import type { Report } from './report.js';
import { isGroup, isNamed, tree } from './tree.js';
import { commandWords } from './words.js';

/** Commands whose further words belong to a program. */
const RUNS_A_PROGRAM = ['exec'];

/** Commander's errors, and usage errors that say nothing of what to do, with what to do next. */
export function usageOf(error: unknown, argv: readonly string[]): unknown {
  if (error instanceof CommanderError) {
    const words = commandWords(argv).filter((word) => /^[a-z]+$/.test(word));
    const [message = '', said] = error.message.replace(/^error: /, '').split('\n');
    const next = said?.replace(/^\(|\)$/g, '') ?? advice(error.code, words);
    return new UsageError(message, [next, helpOf(argv, error)].filter(Boolean).join(' '));
  }
  return error;
}

/** Where the help of the command is that `argv` names, as far as it names one. */
export function helpOf(argv: readonly string[], error?: unknown): string {
  const [first = '', second = ''] = commandWords(argv);
  const node = tree.find((candidate) => isNamed(candidate, first));
  if (node === undefined) return 'see: vc --help';
  const isVerb = isGroup(node) && /^[a-z-]+$/.test(second) && !hasNoVerb(error);
  return `see: vc ${first} ${isVerb ? `${second} ` : ''}--help`;
}

/** The word after a group is none of its verbs. */
function hasNoVerb(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.unknownCommand';
}

/** Where nothing better is known, the help is what to look at next. */
export function withHelp(report: Report, help: string): Report {
  const needsNone = report.hint !== undefined || NEEDS_NO_HINT.includes(report.code);
  return needsNone ? report : { ...report, hint: help };
}

/** The user's own doing: there is nothing to be mended. */
const NEEDS_NO_HINT = ['interrupted', 'declined'];

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
  return tree.some((node) => isNamed(node, word));
}
