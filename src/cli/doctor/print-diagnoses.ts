import { engines } from '../../engines/index.js';
import { printable } from '../../lib/text/printable.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import { fold, textColumns } from '../output/layout/fold.js';
import type { Diagnosis } from './check.js';

/** Columns of the status. */
const STATUS = 9;
/** The details of a check have a column of their own if it is at least this wide. */
const LEAST_DETAILS = 32;
const FIX = 'fix it: ';

/** Prints the checks by section: title, status and details, and how to fix a problem. */
export async function printDiagnoses(
  context: Context,
  diagnoses: readonly Diagnosis[],
): Promise<void> {
  const { stdout } = context.io;
  const chalk = await context.style('stdout');
  const columns = textColumns(stdout);
  const titles = Math.max(...diagnoses.map(({ title }) => title.length)) + 2;
  const isWide = columns - titles - STATUS >= LEAST_DETAILS;
  const indent = ' '.repeat(isWide ? titles + STATUS : 2);
  const width = columns - indent.length;
  let current: string | undefined;
  for (const { title, section, needed, finding } of diagnoses) {
    if (section !== current) {
      const lines = section === 'vc' ? [] : fold(heading(section), columns);
      await write(stdout, ['', ...lines.map((line) => chalk.bold(line)), ''].join('\n'));
    }
    current = section;
    const color = {
      ok: chalk.green,
      stale: chalk.yellow,
      missing: needed ? chalk.red : chalk.yellow,
      skipped: chalk.dim,
    };
    const word = finding.status === 'missing' && !needed ? 'absent' : finding.status;
    const details = fold(printable(finding.detail), width);
    const status = color[finding.status](isWide ? word.padEnd(STATUS) : word);
    const head = `${title.padEnd(titles)}${status}`;
    const lines = isWide
      ? [`${head}${details[0] ?? ''}`, ...details.slice(1).map((line) => indent + line)]
      : [head, ...details.map((line) => indent + line)];
    const remedy = 'remedy' in finding ? finding.remedy : undefined;
    for (const [index, line] of remedy === undefined ? [] : remedyLines(remedy, width)) {
      lines.push(index === 0 ? `${indent}${FIX}${chalk.bold(line)}` : indent + chalk.bold(line));
    }
    await write(stdout, `${lines.map((line) => line.trimEnd()).join('\n')}\n`);
  }
}

/** A line before or after the checks. */
export async function printSummary({ io: { stdout } }: Context, line: string): Promise<void> {
  await write(stdout, `${fold(line, textColumns(stdout)).join('\n')}\n`);
}

/** The lines of a remedy, the first without the words before it. */
function remedyLines(remedy: string, width: number) {
  const lines = fold(FIX + printable(remedy), width);
  return lines.map((line, index) => (index === 0 ? line.slice(FIX.length) : line)).entries();
}

function heading(section: string): string {
  const engine = engines.find(({ name }) => name === section);
  return engine === undefined ? section : `${engine.title} (computers in ${engine.runsIn})`;
}
