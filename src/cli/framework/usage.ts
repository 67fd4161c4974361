import { CommanderError } from 'commander';
import { UsageError } from '../errors/cli-error.js';
import type { Report } from '../errors/report.js';
import { commandPath } from './argv.js';
import { type CommandTree, isGroup, isNamed } from './nodes.js';

/** Commander's errors as usage errors with a remedy; others as they are. */
export function withUsage(error: unknown, tree: CommandTree, argv: readonly string[]): unknown {
  if (!(error instanceof CommanderError)) return error;
  const words = commandPath(argv).filter((word) => /^[a-z]+$/.test(word));
  // Commander puts its suggestion on a second line, in parentheses.
  const [message = '', suggested] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = suggest(error.code, tree, words) ?? suggested?.replace(/^\(|\)$/g, '');
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

/** A guess at what was meant; undefined if there is no likely one. */
function suggest(code: string, tree: CommandTree, words: readonly string[]): string | undefined {
  const [first = '', verb = ''] = words;
  if (code === 'commander.unknownCommand' && !tree.some((node) => isNamed(node, first))) {
    const groups = tree.filter(isGroup).filter(({ verbs }) => Object.hasOwn(verbs, first));
    const group = groups.find(({ name }) => name === 'computer') ?? groups[0];
    return group && `Did you mean vc ${group.name} ${first}?`;
  }
  if (code === 'commander.excessArguments') return 'Quote an argument that contains spaces.';
  if (code === 'commander.unknownOption' && verb === 'exec') {
    return 'Put -- before a program that has options of its own: -- ls -la.';
  }
  return undefined;
}
