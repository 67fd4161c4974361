import type { Argument, CommandDefinition, Option } from '../define.js';
import { globalOptions } from '../globals.js';
import { isGroup, tree } from '../tree.js';

/** A command as help, completion and the manual see it. */
export interface OutlineCommand extends Omit<CommandDefinition, 'arguments' | 'options'> {
  readonly names: readonly string[];
  readonly arguments: readonly Argument<unknown>[];
  readonly options: readonly Option<unknown>[];
}

export interface OutlineGroup {
  readonly name: string;
  readonly names: readonly string[];
  readonly summary: string;
  readonly commands: readonly OutlineCommand[];
}

/** The whole command line as data, hidden commands left out. */
export interface Outline {
  readonly groups: readonly OutlineGroup[];
  readonly singles: readonly OutlineCommand[];
  readonly globals: readonly Option<unknown>[];
}

export async function loadOutline(): Promise<Outline> {
  const groups: OutlineGroup[] = [];
  const singles: OutlineCommand[] = [];
  for (const node of tree) {
    const { name } = node;
    if (!isGroup(node)) {
      const { command } = await node.load();
      if (!command.hidden) singles.push(outline(command));
      continue;
    }
    const loaded = await Promise.all(Object.values(node.verbs).map((load) => load()));
    const commands = loaded.map(({ command }) => outline(command)).filter(({ hidden }) => !hidden);
    groups.push({ name, names: [name, ...(node.aliases ?? [])], summary: node.summary, commands });
  }
  return { groups, singles, globals: Object.values(globalOptions) };
}

function outline(command: CommandDefinition): OutlineCommand {
  return {
    ...command,
    names: [command.name, ...(command.aliases ?? [])],
    arguments: Object.values(command.arguments),
    options: Object.values(command.options).filter(({ hidden }) => !hidden),
  };
}

/** `-b` and `--button` of `-b, --button <name>`. */
export function flagNames({ flags }: Option<unknown>): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith('-'));
}

export function takesValue({ flags }: Option<unknown>): boolean {
  return flags.includes('<');
}

/** Every option of every command that the next word belongs to. */
export function valueFlags({ groups, singles, globals }: Outline): string[] {
  const commands = [...groups.flatMap(({ commands }) => commands), ...singles];
  const options = [...globals, ...commands.flatMap(({ options }) => options)].filter(takesValue);
  return [...new Set(options.flatMap(flagNames))].sort();
}

/** Every command with the names that its path can be written with. */
export function paths({
  groups,
  singles,
}: Outline): { command: OutlineCommand; path: readonly (readonly string[])[] }[] {
  const inGroups = groups.flatMap((group) =>
    group.commands.map((command) => ({ command, path: [group.names, command.names] })),
  );
  return [...inGroups, ...singles.map((command) => ({ command, path: [command.names] }))];
}
