import { PassThrough } from 'node:stream';
import { main } from '../main.js';
import { topics } from '../topics.js';
import { loadOutline } from './outline.js';

/**
 * What `vc WORDS --help` and `vc help TOPIC` print in 80 columns, with bold headings, by the words:
 * the launcher prints them without loading the command line. Hidden commands are left out.
 */
export async function renderHelpTexts(): Promise<Record<string, string>> {
  const { groups, singles } = await loadOutline();
  const texts: Record<string, string> = { '': await printed(['--help']) };
  for (const name of singles.flatMap(({ names }) => names)) {
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

async function printed(argv: readonly string[]): Promise<string> {
  const stdout = new PassThrough();
  const io = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  await main(argv, { io, env: { FORCE_COLOR: '1' } });
  return String(stdout.read() ?? '');
}
