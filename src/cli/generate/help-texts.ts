import { PassThrough } from 'node:stream';
import type { Context } from '../framework/context.js';
import type { CommandTree } from '../framework/nodes.js';
import { topics } from '../framework/topics/topics.js';
import { loadOutline } from './outline.js';

/**
 * The output of `vc WORDS --help` and `vc help TOPIC` in 80 columns with bold headings, by WORDS.
 * The launcher prints it without loading the command line. Hidden commands are left out.
 */
export async function renderHelpTexts(
  tree: CommandTree,
  run: Context['run'],
): Promise<Record<string, string>> {
  const printed = (argv: readonly string[]) => printedBy(run, argv);
  const { shortForms, groups, singles } = await loadOutline(tree);
  const texts: Record<string, string> = { '': await printed(['--help']) };
  for (const name of [...shortForms, ...singles].flatMap(({ names }) => names)) {
    texts[name] = await printed([name, '--help']);
  }
  for (const { names, commands } of groups) {
    for (const group of names) {
      texts[group] = await printed([group, '--help']);
      for (const verb of commands.flatMap((command) => command.names)) {
        texts[`${group} ${verb}`] = await printed([group, verb, '--help']);
      }
    }
  }
  for (const topic of Object.keys(topics)) texts[`help ${topic}`] = await printed(['help', topic]);
  return texts;
}

async function printedBy(run: Context['run'], argv: readonly string[]): Promise<string> {
  const stdout = new PassThrough();
  const io = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  await run(argv, { io, env: { FORCE_COLOR: '1', VC_CONFIG_DIR: '/nonexistent' } });
  return String(stdout.read() ?? '');
}
