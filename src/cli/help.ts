import type { Command } from 'commander';
import type { CommandDefinition } from './define.js';
import { topics } from './topics.js';

interface HelpStyle {
  readonly bold: (text: string) => string;
}

/** How commander lays help out. */
export function configureHelp(command: Command, { bold }: HelpStyle): void {
  command.configureHelp({
    showGlobalOptions: true,
    styleTitle: bold,
    visibleGlobalOptions: () =>
      command.parent === null
        ? []
        : programOf(command).options.filter((o) => o.long !== '--version'),
    subcommandTerm: (subcommand) => {
      const args = subcommand.registeredArguments.map((argument) => {
        const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
        return argument.required ? `<${name}>` : `[${name}]`;
      });
      return [subcommand.name(), ...args].join(' ');
    },
  });
}

function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

/** What stands below commander's part. */
export const helpAfter = {
  program: [
    'Run `vc COMMAND --help` for a command, `vc help TOPIC` for one of the topics:',
    `${Object.keys(topics).join(', ')}.`,
  ].join('\n'),
  group: (name: string) => `Run \`vc ${name} COMMAND --help\` for one of them, with examples.`,
  command: ({ examples }: CommandDefinition, bold: (text: string) => string) =>
    examples.length === 0
      ? ''
      : [
          `\n${bold('Examples:')}`,
          ...examples.flatMap(({ does, command }) => [`  # ${does}`, `  ${command}`]),
        ].join('\n'),
};
