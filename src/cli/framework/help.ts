import type { Command } from 'commander';
import { printable } from '../../lib/text/printable.js';
import { wrap } from '../../lib/text/wrap.js';
import type { CommandDefinition, Example } from './define.js';
import type { CommandTree, Node } from './nodes.js';
import { topicNames } from './topics/names.js';

interface HelpStyle {
  readonly bold: (text: string) => string;
  readonly columns: number | undefined;
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Sets the layout of commander's help. */
export function configureHelp(command: Command, { bold }: HelpStyle): void {
  command.configureHelp({
    // Wrap descriptions only if they get at least this many columns.
    minWidthToWrap: 24,
    styleTitle: bold,
    // One line for each command, without its arguments.
    subcommandTerm: (subcommand) => subcommand.name(),
  });
}

/** From a fresh machine to a running desktop. */
const firstSteps: readonly Example[] = [
  {
    does: 'Set up this machine as a host',
    command: 'vc setup && vc image build linux && vc serve --detach',
  },
  { does: 'Create a first computer and watch it', command: 'vc try' },
  { does: 'Create another one', command: 'vc create desk' },
  { does: 'Open its screen in a browser', command: 'vc view desk' },
];

function shownExamples(examples: readonly Example[]): string[] {
  return examples.flatMap(({ does, command }) => [`  # ${does}`, `  ${command}`]);
}

const globalOptions = 'Global options: see `vc help options`.';

/** Text below commander's part of the help. */
export const helpAfter = {
  program: ({ bold, columns, aliases = {} }: HelpStyle, tree: CommandTree) =>
    [
      ...headings(tree).flatMap(([heading, nodes]) =>
        heading === 'Common commands'
          ? []
          : [
              bold(`${heading}:`),
              ...fieldLines(
                nodes.map(({ name }) => name),
                columns || 80,
              ),
            ],
      ),
      '',
      ...aliasLines(aliases, bold),
      bold('Getting started:'),
      ...shownExamples(firstSteps),
      '',
      ...wrap(
        `Use \`vc COMMAND --help\` for details, \`vc help all\` for what each command does, and \`vc help TOPIC\` for one of the topics: ${topicNames.join(', ')}.`,
        columns || 80,
      ),
    ].join('\n'),
  group: (name: string) =>
    `Use \`vc ${name} COMMAND --help\` for details and examples.\n${globalOptions}`,
  command: (
    { examples, fields }: CommandDefinition,
    otherForm: string | undefined,
    { bold, columns }: HelpStyle,
  ) => {
    const same = otherForm === undefined ? [] : [`Same as \`${otherForm}\`.`];
    const json =
      fields === undefined
        ? []
        : [`\n${bold('JSON fields:')}`, ...fieldLines(fields, columns || 80)];
    const shown =
      examples.length === 0 ? [] : [`\n${bold('Examples:')}`, ...shownExamples(examples)];
    return ['', globalOptions, ...same, ...json, ...shown].join('\n');
  },
};

/** The visible commands by the section of `vc --help`, in their order. */
export function headings(tree: CommandTree): (readonly [string, Node[]])[] {
  const sections = new Map<string, Node[]>();
  for (const node of tree) {
    if (node.heading === undefined) continue;
    sections.set(node.heading, [...(sections.get(node.heading) ?? []), node]);
  }
  return [...sections];
}

/** The section of the user's own commands, if there are any. */
function aliasLines(
  aliases: Readonly<Record<string, string>>,
  bold: HelpStyle['bold'],
): readonly string[] {
  const names = Object.keys(aliases).sort();
  if (names.length === 0) return [];
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = names.map((name) => `  ${name.padEnd(width)}vc ${printable(aliases[name] ?? '')}`);
  return [bold('Aliases:'), ...lines, ''];
}

/** Names separated by commas, indented. */
function fieldLines(names: readonly string[], columns: number): string[] {
  return wrap(names.join(', '), columns - 4).map((line) => `  ${line}`);
}
