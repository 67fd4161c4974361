import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { computerParameters } from '../../client/http/address.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { computerAddress } from '../targets/computer-address.js';
import type { CopyPath } from './copy-path.js';

/** The error of a copy without a computer. It suggests a colon after a word that names one. */
export async function noComputer(
  context: Context,
  paths: readonly CopyPath[],
): Promise<UsageError> {
  const words = paths.map((path) => (path.kind === 'local' ? path.path : '-'));
  // The target first: that is where a computer is forgotten most often.
  for (const index of [words.length - 1, 0]) {
    const word = words[index] ?? '-';
    if (paths[index]?.kind !== 'local' || !(await isComputer(context, word))) continue;
    const meant = words.map((text, at) => shellWord(at === index ? `${text}:` : text));
    const remedy = `write a colon after the name of a computer: vc cp ${meant.join(' ')}`;
    return new UsageError(`no path is in a computer, but ${word} is the name of one`, remedy);
  }
  return new UsageError('no path names a computer: write COMPUTER:PATH');
}

/** True for the name of a computer, unless it is also that of a local file. */
async function isComputer(context: Context, word: string): Promise<boolean> {
  try {
    if (await lstat(resolve(context.cwd, word)).catch(() => undefined)) return false;
    const params = computerParameters(await computerAddress(context, word));
    const client = await context.client();
    await client.request('getComputer', { params, signal: context.interrupts.signal });
    return true;
  } catch {
    // Whatever the reason, the error is that no path names a computer.
    return false;
  }
}
