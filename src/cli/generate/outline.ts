import type { Argument, CommandDefinition, Option } from '../framework/define.js';
import { globalOptions } from '../framework/globals.js';
import { type CommandTree, isGroup } from '../framework/nodes.js';
import { topics } from '../framework/topics/topics.js';

/** A command as data, for help, completion and the man pages. */
export interface OutlineCommand extends Omit<CommandDefinition, 'arguments' | 'options'> {
  readonly names: readonly string[];
  readonly arguments: readonly Argument<unknown>[];
  readonly options: readonly Option<unknown>[];
}

export interface OutlineGroup {
  readonly name: string;
  readonly names: readonly string[];
  readonly summary: string;
  readonly details?: string;
  readonly commands: readonly OutlineCommand[];
}

/** `ls` for `computer ls`. */
export interface OutlineShortForm {
  readonly name: string;
  readonly names: readonly string[];
  readonly summary: string;
  readonly shortFor: readonly [group: string, verb: string];
}

/** The command line as data, without hidden commands and options. */
export interface Outline {
  readonly shortForms: readonly OutlineShortForm[];
  readonly groups: readonly OutlineGroup[];
  readonly singles: readonly OutlineCommand[];
  readonly globals: readonly Option<unknown>[];
  /** Topics of `vc help`. */
  readonly topics: readonly { readonly value: string; readonly summary: string }[];
}

export async function loadOutline(tree: CommandTree): Promise<Outline> {
  const shortForms: OutlineShortForm[] = [];
  const groups: OutlineGroup[] = [];
  const singles: OutlineCommand[] = [];
  for (const node of tree) {
    const { name } = node;
    if (!isGroup(node)) {
      const { command } = await node.load();
      const { shortFor, aliases = [] } = node;
      if (command.hidden) continue;
      if (shortFor === undefined) singles.push(outline(command));
      else shortForms.push({ name, names: [name, ...aliases], summary: command.summary, shortFor });
      continue;
    }
    const loaded = await Promise.all(Object.values(node.verbs).map((load) => load()));
    const commands = loaded.map(({ command }) => outline(command)).filter(({ hidden }) => !hidden);
    const { summary, details } = node;
    const names = [name, ...(node.aliases ?? [])];
    groups.push({ name, names, summary, ...(details && { details }), commands });
  }
  const helpTopics = Object.entries(topics).map(([value, { summary }]) => ({ value, summary }));
  const globals = Object.values(globalOptions);
  return { shortForms, groups, singles, globals, topics: helpTopics };
}

function outline(command: CommandDefinition): OutlineCommand {
  return {
    ...command,
    names: [command.name, ...(command.aliases ?? [])],
    arguments: Object.values(command.arguments),
    options: Object.values(command.options).filter(({ hidden }) => !hidden),
  };
}

/** Every command with the names of each word of its path; a command with a short form once. */
export function paths({
  groups,
  singles,
}: Outline): { command: OutlineCommand; path: readonly (readonly string[])[] }[] {
  const inGroups = groups.flatMap((group) =>
    group.commands.map((command) => ({ command, path: [group.names, command.names] })),
  );
  return [...inGroups, ...singles.map((command) => ({ command, path: [command.names] }))];
}
