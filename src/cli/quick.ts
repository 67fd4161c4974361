import { tree } from './commands/tree.js';
import { commandPath } from './framework/argv.js';
import { exitProcess } from './framework/io.js';
import { isGroup, isNamed } from './framework/nodes.js';
import { main } from './main.js';

/**
 * Entry point of the quick build, which has only the commands that need no more than the client.
 * Runs the command line and ends the process; false, before any effect, if another build has to.
 */
export async function run(argv: readonly string[]): Promise<boolean> {
  const node = tree.find((each) => isNamed(each, argv[0]));
  if (node === undefined) return false;
  // The build leaves out how to load other commands.
  const word = commandPath(argv)[1] ?? '';
  const verbs: Readonly<Record<string, unknown>> = isGroup(node) ? node.verbs : {};
  // Its help, and another name of a verb, need every verb of the group.
  const isWhole = !Object.values(verbs).includes(undefined);
  const isThere = isGroup(node)
    ? isWhole || (Object.hasOwn(verbs, word) && verbs[word] !== undefined)
    : node.load !== undefined;
  if (!isThere) return false;
  exitProcess(await main(argv));
}
