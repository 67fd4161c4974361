import { CommanderError } from 'commander';
import { UsageError } from '../errors/cli-error.js';
import type { Report } from '../errors/report.js';
import { commandPath } from './argv.js';
import { type CommandTree, isGroup, isNamed } from './nodes.js';
import { insteadOf, insteadOfCommand } from './suggestions/options.js';
import { suggestCommand } from './suggestions/suggest.js';

/** Commander's errors as usage errors with a remedy; others as they are. */
export function withUsage(error: unknown, tree: CommandTree, argv: readonly string[]): unknown {
  if (!(error instanceof CommanderError)) return error;
  const words = commandPath(argv).filter((word) => /^[a-z][a-z-]*$/.test(word));
  // Commander puts its suggestion on a second line, in parentheses.
  const [message = '', suggested] = error.message.replace(/^error: /, '').split('\n');
  const suggestion =
    error.code === 'commander.unknownCommand'
      ? unknownCommand(tree, commandPath(argv))
      : (insteadOf(error.code, words, argv) ??
        suggest(error, words) ??
        suggested?.replace(/^\(|\)$/g, ''));
  const help = helpOf(tree, argv, error);
  const remedy = suggestion === undefined ? help : `${suggestion} S${help.slice(1)}`;
  return new UsageError(message, remedy);
}

/** A report of invalid input that has no remedy points at the help of the command. */
export function withHelp(report: Report, tree: CommandTree, argv: readonly string[]): Report {
  const isInvalid = report.code === 'usage' || report.code === 'invalid_request';
  return report.remedy !== undefined || !isInvalid
    ? report
    : { ...report, remedy: helpOf(tree, argv) };
}

/** The command that prints the most specific help for `argv`. */
function helpOf(tree: CommandTree, argv: readonly string[], error?: CommanderError): string {
  const [first = '', second = ''] = commandPath(argv);
  const node = tree.find((candidate) => isNamed(candidate, first));
  if (node === undefined) return 'see: vc --help';
  const hasVerb = isGroup(node) && error?.code !== 'commander.unknownCommand';
  const verb = hasVerb && /^[a-z-]+$/.test(second) ? `${second} ` : '';
  return `see: vc ${first} ${verb}--help`;
}

function unknownCommand(tree: CommandTree, path: readonly string[]): string | undefined {
  const suggestion = insteadOfCommand(path) ?? suggestCommand(tree, path);
  const isKeyGroup = tree.some((node) => node.name === 'key' && isNamed(node, path[0]));
  return suggestion ?? (isKeyGroup ? 'To press keys, use vc press.' : undefined);
}

/** What is likely wrong; undefined if that is not known. */
function suggest(
  { code, message }: CommanderError,
  [first, verb]: readonly string[],
): string | undefined {
  if (code === 'commander.excessArguments') {
    if ([first, verb].includes('shell'))
      return 'To run a program in this terminal: vc exec -t COMPUTER PROGRAM.';
    return message.includes('Expected 0 ') ? undefined : 'Quote an argument that contains spaces.';
  }
  if (code === 'commander.unknownOption' && [first, verb].includes('exec')) {
    return 'Options of the program come after it: vc exec COMPUTER ls -la.';
  }
  return undefined;
}
