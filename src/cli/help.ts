import type { Command } from 'commander';
import type { CommandDefinition, Example } from './define.js';
import { topics } from './topics.js';
import { wrap } from './wrap.js';

interface HelpStyle {
  readonly bold: (text: string) => string;
  readonly columns: number | undefined;
}

/** How commander lays help out. */
export function configureHelp(command: Command, { bold }: HelpStyle): void {
  command.configureHelp({
    showGlobalOptions: true,
    // Less than that is not worth a column of its own.
    minWidthToWrap: 24,
    styleTitle: bold,
    visibleGlobalOptions: () =>
      command.parent === null
        ? []
        : programOf(command).options.filter((o) => o.long !== '--version'),
    // Its arguments stand in its own help: here every command has one line.
    subcommandTerm: (subcommand) => subcommand.name(),
  });
}

function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

/** From nothing to a computer on the screen. */
const firstSteps: readonly Example[] = [
  {
    does: 'Make this machine a host of computers',
    command: 'vc setup && vc image build linux && vc serve --detach',
  },
  { does: 'See what they can do', command: 'vc demo' },
  {
    does: 'Make one of your own',
    command: 'vc project create shop && vc computer create shop/desk',
  },
  { does: 'Watch it in a browser, and use it', command: 'vc computer view shop/desk' },
];

function shownExamples(examples: readonly Example[]): string[] {
  return examples.flatMap(({ does, command }) => [`  # ${does}`, `  ${command}`]);
}

/** What stands below commander's part. */
export const helpAfter = {
  program: (bold: (text: string) => string) =>
    [
      bold('Start:'),
      ...shownExamples(firstSteps),
      '',
      'Run `vc COMMAND --help` for a command, `vc help TOPIC` for one of the topics:',
      `${Object.keys(topics).join(', ')}.`,
    ].join('\n'),
  group: (name: string) => `Run \`vc ${name} COMMAND --help\` for one of them, with examples.`,
  command: ({ examples, fields }: CommandDefinition, { bold, columns }: HelpStyle) => {
    const json =
      fields === undefined
        ? []
        : [`\n${bold('JSON fields:')}`, ...fieldLines(fields, columns ?? 80)];
    const shown =
      examples.length === 0 ? [] : [`\n${bold('Examples:')}`, ...shownExamples(examples)];
    return [...json, ...shown].join('\n');
  },
};

/** Names separated by commas, indented. */
function fieldLines(names: readonly string[], columns: number): string[] {
  return wrap(names.join(', '), columns - 4).map((line) => `  ${line}`);
}
