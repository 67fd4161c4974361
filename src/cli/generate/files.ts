import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { packageRoot } from '../../lib/package-root.js';
import type { Context } from '../framework/context.js';
import type { CommandTree } from '../framework/nodes.js';
import { topics } from '../framework/topics/topics.js';
import { renderManual } from './manual.js';
import { loadOutline, type Outline } from './outline.js';

/** Generated files of the repository, by path. */
export async function sourceFiles(tree: CommandTree): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const pages = renderManual(await loadOutline(tree));
  for (const [name, page] of pages) files.set(`man/${name}`, page);
  return files.set('package.json', await manifest([...pages.keys()]));
}

/** Data files of the build, by path: help texts and completion need no command to be loaded. */
export async function distFiles(
  tree: CommandTree,
  run: Context['run'],
): Promise<Map<string, string>> {
  const files = new Map([['dist/completion.json', completionData(await loadOutline(tree))]]);
  for (const [words, text] of Object.entries(await renderHelpTexts(tree, run))) {
    files.set(`dist/help/${`vc ${words}`.trim().replaceAll(' ', '-')}.txt`, text);
  }
  return files;
}

/** The outline with the properties of `CommandLine` in ../completion/offer.ts. */
function completionData(outline: Outline): string {
  return JSON.stringify(outline, [
    'shortForms',
    'groups',
    'singles',
    'globals',
    'commands',
    'options',
    'arguments',
    'names',
    'summary',
    'shortFor',
    'flags',
    'choices',
    'completes',
    'variadic',
    'topics',
    'value',
  ]);
}

/** package.json listing every man page, which npm requires to install them. */
async function manifest(pages: readonly string[]): Promise<string> {
  const text = await readFile(new URL('package.json', packageRoot), 'utf8');
  const man = [...pages].sort().map((page) => `./man/${page}`);
  return `${JSON.stringify({ ...JSON.parse(text), man }, null, 2)}\n`;
}

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
