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
import {
  type CommandTree,
  type Group,
  isGroup,
  isNamed,
  type Single,
  shortFormOf,
} from './nodes.js';

/** Runs a parsed command. */
export type Dispatch = (
  definition: CommandDefinition,
  args: Readonly<Record<string, Raw>>,
  options: Readonly<Record<string, Raw>>,
) => Promise<void>;

export interface ProgramOptions {
  readonly dispatch: Dispatch;
  /** Called when the arguments of a command are invalid. */
  readonly onInvalid?: (definition: CommandDefinition) => void;
  /** Prints help. */
  readonly writeOut: (text: string) => void;
  readonly columns: number | undefined;
  readonly bold: (text: string) => string;
  /** The user's own commands, for the help of the program. */
  readonly aliases?: Readonly<Record<string, string>>;
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
    .description('Virtual computers on your own machine: create, control and watch real desktops.')
    .version(packageVersion(), '-V, --version', 'show the version')
    .helpCommand(false)
    .addHelpText('after', () => `\n${helpAfter.program(options, tree)}`);
  for (const [key, option] of Object.entries(globalOptions)) {
    addOption(program, key, { ...option, hidden: true });
  }
  const build = { tree, words, options };
  for (const node of tree) {
    const built = isGroup(node) ? await buildGroup(node, build) : await buildSingle(node, build);
    if (built === undefined) continue;
    const { heading } = node;
    if (heading !== undefined) built.command.helpGroup(`${heading}:`);
    // The others are in one paragraph for each heading.
    const isBrief = words[0] === undefined && heading !== 'Common commands';
    program.addCommand(built.command, { hidden: built.hidden || isBrief });
  }
  return program;
}

interface Build {
  readonly tree: CommandTree;
  readonly words: readonly string[];
  readonly options: ProgramOptions;
}

interface Built {
  readonly command: Command;
  readonly hidden: boolean;
}

/** A top-level command; undefined if another one is meant. */
async function buildSingle(
  node: Single,
  { tree, words, options }: Build,
): Promise<Built | undefined> {
  const isWanted = words[0] === undefined || isNamed(node, words[0]);
  const isOther = tree.some((other) => other !== node && isNamed(other, words[0]));
  if (!isWanted && isOther) return undefined;
  const { command: definition } = await node.load();
  const { name, aliases = [], shortFor } = node;
  const names =
    shortFor === undefined ? definition : { name, aliases, otherForm: `vc ${shortFor.join(' ')}` };
  const command = buildCommand(definition, names, options);
  return { command, hidden: definition.hidden === true };
}

/** False if `words` name a command that does not exist. */
export function isKnownCommand(program: Command, words: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined || program.commands.length === 0) return true;
  const named = program.commands.find((c) => c.name() === word || c.aliases().includes(word));
  return named !== undefined && isKnownCommand(named, rest);
}

/**
 * A group with the verb that `words` name, or all verbs if they name none or an unknown one; without
 * verbs if another node is meant.
 */
async function buildGroup(group: Group, { tree, words, options }: Build): Promise<Built> {
  const command = new Command(group.name);
  configure(command, options);
  command
    .summary(group.summary)
    .description(
      group.details === undefined ? group.summary : `${group.summary}.\n\n${group.details}`,
    )
    .aliases([...(group.aliases ?? [])])
    .helpCommand(false);
  command.addHelpText('after', () => `\n${helpAfter.group(group.name)}`);
  if (!isNamed(group, words[0])) return { command, hidden: false };
  const word = words[1];
  const only =
    word !== undefined && Object.hasOwn(group.verbs, word) ? group.verbs[word] : undefined;
  const loads = only === undefined ? Object.values(group.verbs) : [only];
  for (const { command: definition } of await Promise.all(loads.map((load) => load()))) {
    const { name, aliases } = definition;
    const shortForm = shortFormOf(tree, group.name, name);
    const names = { name, aliases, otherForm: shortForm && `vc ${shortForm.name}` };
    const verb = buildCommand(definition, names, options);
    command.addCommand(verb, { hidden: definition.hidden === true });
  }
  return { command, hidden: false };
}

interface CommandNames extends Pick<CommandDefinition, 'name' | 'aliases'> {
  /** The same command with its noun, or without it. */
  readonly otherForm?: string;
}

function buildCommand(
  definition: CommandDefinition,
  { name, aliases = [], otherForm }: CommandNames,
  options: ProgramOptions,
): Command {
  const command = new Command(name);
  configure(command, options);
  const { summary, details } = definition;
  command
    .exitOverride((error) => {
      options.onInvalid?.(definition);
      throw error;
    })
    .summary(summary)
    .description(details === undefined ? `${summary}.` : `${summary}.\n\n${details}`)
    .aliases([...aliases])
    .addHelpText('after', () => helpAfter.command(definition, otherForm, options));
  for (const argument of Object.values(definition.arguments)) {
    const dots = argument.variadic ? '...' : '';
    const shown = argument.required ? `<${argument.name}${dots}>` : `[${argument.name}${dots}]`;
    command.addArgument(new Argument(shown, argument.summary));
  }
  for (const [key, option] of Object.entries(definition.options)) addOption(command, key, option);
  // The program takes them before, but not from a group such as `-aq`, which it does not know.
  for (const [key, option] of Object.entries(globalOptions)) {
    if (/^-[a-z],/.test(option.flags)) addOption(command, key, { ...option, hidden: true });
  }
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
      getOutHelpWidth: () => options.columns || 80,
      getErrHelpWidth: () => options.columns || 80,
      // Whether to use colours is decided here, not by commander.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    });
}
