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
  command: ({ examples, fields }: CommandDefinition, bold: (text: string) => string) => {
    const shown = examples.flatMap(({ does, command }) => [`  # ${does}`, `  ${command}`]);
    const json = fields === undefined ? [] : [`\n${bold('JSON fields:')}`, ...wrap(fields)];
    return [...json, ...(shown.length === 0 ? [] : [`\n${bold('Examples:')}`, ...shown])].join(
      '\n',
    );
  },
};

/** Names separated by commas, in lines of at most 78 columns, indented. */
function wrap(names: readonly string[]): string[] {
  const lines = [''];
  for (const [index, name] of names.entries()) {
    const word = index < names.length - 1 ? `${name}, ` : name;
    const last = lines.length - 1;
    if ((lines[last] ?? '').length + word.length > 76) lines.push(word);
    else lines[last] += word;
  }
  return lines.map((line) => `  ${line.trimEnd()}`);
}
