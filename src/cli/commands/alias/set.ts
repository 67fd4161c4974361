import { splitWords } from '../../../lib/text/split-words.js';
import { UsageError } from '../../errors/cli-error.js';
import { commandPath } from '../../framework/argv.js';
import { argument, defineCommand } from '../../framework/define.js';
import { type CommandTree, findCommand, isNamed } from '../../framework/nodes.js';
import { nonEmpty } from '../../input/parse.js';
import { done, printJson } from '../../output/print.js';

const NAME = /^[A-Za-z][A-Za-z0-9-]{0,31}$/;
const MOST_CHARACTERS = 4096;

export const command = (tree: CommandTree) =>
  defineCommand({
    name: 'set',
    summary: 'Add or change a command of your own',
    details: [
      'COMMAND is a command line without the vc at its start, in quotes. $1 to $9 in it are the',
      'arguments of the alias; others are appended. An alias cannot have the name of a command, nor',
      'stand for another alias. Aliases are kept with the profiles.',
    ].join(' '),
    arguments: {
      name: argument('name', 'name of the alias', nonEmpty),
      command: argument('command', 'command line that it stands for', nonEmpty),
    },
    options: {},
    examples: [
      {
        does: 'Watch without control: vc watch desk',
        command: "vc alias set watch 'view --view-only'",
      },
      {
        does: 'Fetch a file: vc pull desk notes.txt',
        command: "vc alias set pull 'cp $1:$2 .'",
      },
    ],
    async run(context, { name, command: given }) {
      checkName(tree, name);
      const line = given.trim().replace(/^vc\s+/, '');
      await checkLine(tree, line);
      const store = context.profiles();
      const { aliases = {} } = await store.read();
      await store.setAlias(name, line);
      if (context.globals.json) return void (await printJson(context, { name, command: line }));
      const did = Object.hasOwn(aliases, name) ? 'changed' : 'added';
      await done(context, `${did} the alias ${name}: vc ${line}`);
    },
  });

function checkName(tree: CommandTree, name: string): void {
  if (!NAME.test(name)) {
    throw new UsageError(
      `${JSON.stringify(name)} is not a name for an alias`,
      'use up to 32 letters, digits and "-", the first a letter',
    );
  }
  if (tree.some((node) => isNamed(node, name))) {
    throw new UsageError(`there is a command vc ${name}`, 'choose another name');
  }
}

/** Throws UsageError unless the line names a command. */
async function checkLine(tree: CommandTree, line: string): Promise<void> {
  if (line.length > MOST_CHARACTERS) {
    throw new UsageError(`the command has more than ${MOST_CHARACTERS} characters`);
  }
  const words = splitWords(line);
  if (words === undefined) throw new UsageError('a quote in the command is not closed');
  const path = commandPath(words);
  const found = await findCommand(tree, path);
  if (found !== undefined) return;
  const named = path.length === 0 ? 'no command' : `vc ${path.join(' ')}`;
  throw new UsageError(`${named} is not a command`, 'see: vc --help');
}
