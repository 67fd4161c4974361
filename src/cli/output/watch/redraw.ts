import { stripVTControlCharacters } from 'node:util';
import { type Output, write } from '../../framework/io.js';
import { displayWidth } from '../layout/fit-columns.js';

/** Moves the cursor up, to the first column, and clears everything below. */
const back = (rows: number) => `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`;

/** Lines on a terminal that are replaced by the next ones; the scrollback stays as it is. */
export class Redraw {
  readonly #output: Output;
  /** Rows of the terminal that the last lines take. */
  #rows = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  async show(lines: readonly string[]): Promise<void> {
    const { rows: height = 24, columns = 80 } = this.#output;
    const shown = visible(lines, height - 1, columns);
    const text = `${back(this.#rows)}${shown.map((line) => `${line}\n`).join('')}`;
    this.#rows = shown.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    await write(this.#output, text);
  }
}

/** As many lines as fit on the screen, where the cursor can go back to the first one. */
function visible(lines: readonly string[], height: number, columns: number): readonly string[] {
  const kept: string[] = [];
  let rows = 0;
  for (const [index, line] of lines.entries()) {
    rows += rowsOf(line, columns);
    const isLast = index === lines.length - 1;
    if (rows > height - (isLast ? 0 : 1)) return [...kept, `… and ${lines.length - index} more`];
    kept.push(line);
  }
  return kept;
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(displayWidth(stripVTControlCharacters(line)) / columns));
}
