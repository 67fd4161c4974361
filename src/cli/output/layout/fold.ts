import { wrap } from '../../../lib/text/wrap.js';
import type { Output } from '../../framework/io.js';
import { displayWidth } from './fit-columns.js';

/** Terminals are rarely narrower, and longer lines are hard to read. */
const LEAST_COLUMNS = 40;
const MOST_COLUMNS = 120;

/** Columns of a terminal that texts are folded to; no limit for any other stream. */
export function textColumns({ isTTY, columns = 80 }: Pick<Output, 'isTTY' | 'columns'>): number {
  if (!isTTY) return Number.POSITIVE_INFINITY;
  return Math.min(Math.max(columns, LEAST_COLUMNS), MOST_COLUMNS);
}

/**
 * A text in lines of at most `width` columns, broken between words. A command at its end starts on a
 * line of its own if that keeps it whole, so that it can be copied: `start it: vc serve --detach`.
 */
export function fold(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text];
  const [, lead, command] = /^(.*:) (vc .*)$/.exec(text) ?? [];
  if (lead !== undefined && command !== undefined && displayWidth(command) <= width) {
    return [...wrap(lead, width, displayWidth), command];
  }
  return wrap(text, width, displayWidth);
}
