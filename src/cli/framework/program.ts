import { Argument, Command, Option } from 'commander';
import { packageVersion } from '../../lib/package-root.js';
import {
  type CommandDefinition,
  describeOption,
  type Option as OptionData,
  type Raw,
} from './define.js';
import { globalOptions } from './globals.js';
import { configureHelp, helpAfter } from './help.js';
import { type CommandTree, type Group, isGroup, isNamed, type Node } from './nodes.js';

/** Runs a parsed command. */
export type Dispatch = (
  definition: CommandDefinition,
  args: Readonly<Record<string, Raw>>,
  options: Readonly<Record<string, Raw>>,
) => Promise<void>;

export interface ProgramOptions {
  readonly dispatch: Dispatch;
  /** Prints help. */
  readonly writeOut: (text: string) => void;
  readonly columns: number | undefined;
  readonly bold: (text: string) => string;
}

/**
 * The commander program. Only the group and the verb that `words` name are loaded, to keep the
 * start of a command short.
 */
export async function buildProgram(
  tree: CommandTree,
  words: readonly string[],
  options: ProgramOptions,
): Promise<Command> {
  const program = new Command('vc');
  configure(program, options);
  program
    .description('Virtual computers on your own machine: create, drive and watch real desktops.')
    .version(packageVersion(), '-V, --version', 'show the version')
    .helpCommand(false)
    .addHelpText('after', () => `\n${helpAfter.program(options.bold)}`);
  for (const [key, option] of Object.entries(globalOptions)) {
    addOption(program, key, option);
  }
  for (const node of tree) {
    const command = isGroup(node)
      ? await buildGroup(node, isNamed(node, words[0]) ? words.slice(1) : undefined, options)
      : await buildSingle(node, options);
    if (command === undefined) continue;
    const { heading } = node;
    if (heading !== undefined) command.command.helpGroup(`${heading}:`);
    program.addCommand(command.command, { hidden: command.hidden });
  }
  return program;

  async function buildSingle(node: Exclude<Node, Group>, settings: ProgramOptions) {
    const isWanted = words[0] === undefined || words[0] === node.name;
    const isOther = tree.some((other) => other !== node && isNamed(other, words[0]));
    if (!isWanted && isOther) return undefined;
    const { command: definition } = await node.load();
    return { command: buildCommand(definition, settings), hidden: definition.hidden === true };
  }
}

/**
 * A group with the verb that `words` name, or all verbs if they name none or an unknown one; without
 * verbs if `words` is undefined because another group is meant.
 */
async function buildGroup(
  group: Group,
  words: readonly string[] | undefined,
  options: ProgramOptions,
): Promise<{ command: Command; hidden: boolean }> {
  const command = new Command(group.name);
  configure(command, options);
  command
    .description(group.summary)
    .aliases([...(group.aliases ?? [])])
    .helpCommand(false);
  command.addHelpText('after', () => `\n${helpAfter.group(group.name)}`);
  if (words === undefined) return { command, hidden: false };
  const [word] = words;
  const only =
    word !== undefined && Object.hasOwn(group.verbs, word) ? group.verbs[word] : undefined;
  const loads = only === undefined ? Object.values(group.verbs) : [only];
  for (const { command: definition } of await Promise.all(loads.map((load) => load()))) {
    command.addCommand(buildCommand(definition, options), { hidden: definition.hidden === true });
  }
  return { command, hidden: false };
}

function buildCommand(definition: CommandDefinition, options: ProgramOptions): Command {
  const command = new Command(definition.name);
  configure(command, options);
  const { summary, details } = definition;
  command
    .summary(summary)
    .description(details === undefined ? `${summary}.` : `${summary}.\n\n${details}`)
    .aliases([...(definition.aliases ?? [])])
    .addHelpText('after', () => helpAfter.command(definition, options));
  for (const argument of Object.values(definition.arguments)) {
    const dots = argument.variadic ? '...' : '';
    const shown = argument.required ? `<${argument.name}${dots}>` : `[${argument.name}${dots}]`;
    command.addArgument(new Argument(shown, argument.summary));
  }
  for (const [key, option] of Object.entries(definition.options)) addOption(command, key, option);
  command.action(async () => {
    const names = Object.keys(definition.arguments);
    const args = names.map((name, index) => [name, command.processedArgs[index] as Raw] as const);
    await options.dispatch(definition, Object.fromEntries(args), command.optsWithGlobals());
  });
  return command;
}

/** Commander collects texts; the definition parses them. `key` must be commander's attribute name. */
function addOption(command: Command, key: string, data: OptionData<unknown>): void {
  const option = new Option(data.flags, describeOption(data));
  if (option.attributeName() !== key) throw new TypeError(`${data.flags} is not named ${key}`);
  if (data.repeatable) {
    option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
  }
  command.addOption(option.hideHelp(data.hidden === true));
}

function configure(command: Command, options: ProgramOptions): void {
  configureHelp(command, options);
  command
    .exitOverride()
    .showSuggestionAfterError()
    .helpOption('-h, --help', 'show help')
    .configureOutput({
      writeOut: options.writeOut,
      writeErr: options.writeOut,
      outputError: () => {},
      getOutHelpWidth: () => options.columns ?? 80,
      getErrHelpWidth: () => options.columns ?? 80,
      // Whether to use colours is decided here, not by commander.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    });
}
