import type { Readable } from 'node:stream';
import type { ChalkInstance } from 'chalk';
import type { ProcessExit } from '../../client/sockets/process-connection.js';
import { printable } from '../../lib/text/printable.js';
import { UsageError } from '../errors/cli-error.js';
import { processExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { flag } from '../framework/define.js';
import { write } from '../framework/io.js';
import { labelSelector } from '../input/labels.js';
import { displayWidth, widest } from '../output/layout/fit-columns.js';
import { note } from '../output/print.js';
import { PrefixedLines } from '../terminal/prefixed-lines.js';
import { SafeText } from '../terminal/safe-output.js';
import { forEach } from './for-each.js';
import { noComputers, type Selection, selectedComputers } from './lookup/all-computers.js';
import { type Attached, documentOf, openProcess, timedOut } from './processes.js';

/** Select several computers for a program. */
export const programSelection = {
  label: {
    ...labelSelector,
    summary: 'run it in all running computers with this label, without stdin; repeatable',
  },
  all: flag('--all', 'run it in the running computers that vc ls lists, without stdin'),
};

/** For help. */
export const SIDE_BY_SIDE =
  'With --label or --all it runs in several computers at the same time, each line begins with the name of its computer, and the highest exit code is returned.';

/**
 * The computer of a command that runs a program, and the words after it. With a selection there is no
 * computer, and what was parsed as one is the first of the words.
 */
export function programTarget(
  computer: string | undefined,
  words: readonly string[],
  selection: Selection,
): { readonly computer: string; readonly words: readonly string[]; readonly selects: boolean } {
  if (selection.all || selection.label.length > 0) {
    const all = computer === undefined ? words : [computer, ...words];
    return { computer: '', words: all, selects: true };
  }
  if (computer === undefined) throw new UsageError("missing required argument 'computer'");
  return { computer, words, selects: false };
}

/** Programs that run at the same time: the service takes 256 requests of an owner at once. */
const CONCURRENCY = 64;

/**
 * Runs a program in each of the running computers of a selection. Prints its output as it arrives, each
 * line behind the name of its computer, or with --json all of it at the end. Resolves to the highest
 * exit code.
 */
export async function runOnEach(
  context: Context,
  selection: Selection,
  { stdin: _, safe, ...request }: Attached,
): Promise<number> {
  const computers = await selectedComputers(context, selection);
  if (computers.length === 0) return noComputers(context, 'running computers', selection.label);
  const ids = new Map(computers.map((one) => [`${one.project_name}/${one.name}`, one.id]));
  const prefixes = await prefixesOf(context, [...ids.keys()]);
  const run = async (name: string): Promise<Result> => {
    const remote = await openProcess(context, { id: ids.get(name) ?? name }, request);
    remote.stdin.end();
    if (context.globals.json) return documentOf(remote, ids.size);
    const [stdout = '', stderr = ''] = prefixes.get(name) ?? [];
    try {
      await Promise.all([
        forwardLines(context, remote.stdout, { to: 'stdout', prefix: stdout, safe }),
        forwardLines(context, remote.stderr, { to: 'stderr', prefix: stderr, safe }),
      ]);
    } catch (error) {
      remote.close();
      throw error;
    }
    return { exit: await remote.exited };
  };
  return forEach(context, {
    names: [...ids.keys()],
    asList: true,
    concurrency: CONCURRENCY,
    work: async (name) => {
      const { document, exit } = await run(name);
      if (exit.timedOut) throw timedOut(request);
      return { ...document, code: processExitCode(exit) };
    },
    did: (name) => name,
    show: async (name, { code }) => {
      if (code !== 0) await note(context, `${name}: exit code ${code}`);
    },
    exitCode: ({ code }) => code,
  });
}

interface Result {
  readonly document?: object;
  readonly exit: ProcessExit;
}

interface Lines {
  readonly to: 'stdout' | 'stderr';
  readonly prefix: string;
  /** On a terminal, replace control characters. */
  readonly safe: boolean;
}

async function forwardLines({ io }: Context, from: Readable, { to, prefix, safe }: Lines) {
  const output = io[to];
  const text = safe && output.isTTY ? new SafeText() : undefined;
  const lines = new PrefixedLines(prefix);
  const print = (bytes: Buffer) => (bytes.length > 0 ? write(output, bytes) : undefined);
  const shown = (bytes: Uint8Array) =>
    text === undefined ? bytes : Buffer.from(text.write(bytes));
  for await (const chunk of from) await print(lines.write(shown(chunk)));
  if (text !== undefined) await print(lines.write(Buffer.from(text.end())));
  await print(lines.end());
}

type Color = (chalk: ChalkInstance) => (text: string) => string;
const COLORS: readonly Color[] = [
  ({ cyan }) => cyan,
  ({ yellow }) => yellow,
  ({ green }) => green,
  ({ magenta }) => magenta,
  ({ blue }) => blue,
];

/** What lines of stdout and of stderr begin with, by the name of the computer. */
async function prefixesOf(context: Context, names: readonly string[]) {
  const [stdout, stderr] = [await context.style('stdout'), await context.style('stderr')];
  const projects = new Set(names.map((name) => name.slice(0, name.indexOf('/'))));
  const shown = names.map((name) =>
    printable(projects.size > 1 ? name : name.slice(name.indexOf('/') + 1)),
  );
  const width = widest(shown);
  return new Map(
    shown.map((name, index) => {
      const padded = `${name}${' '.repeat(width - displayWidth(name))} |`;
      const color = COLORS[index % COLORS.length] ?? (() => String);
      return [names[index] ?? '', [stdout, stderr].map((chalk) => `${color(chalk)(padded)} `)];
    }),
  );
}
