import { extname, resolve } from 'node:path';
import { writeOutputFile } from '../../lib/fs/output-file.js';
import { fileTimestamp } from '../../lib/text/file-timestamp.js';
import { UsageError } from '../errors/cli-error.js';
import { cannotWrite } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';

/** `demo-desktop-20250102-030405.png`, with characters that are safe on every file system. */
export function defaultName(name: string, extension: string, now: Date): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+/, '') || 'computer';
  return `${[...safe].slice(0, 60).join('')}-${fileTimestamp(now)}${extension}`;
}

/** Writes an image to a file, relative to the current directory. */
export async function writeImage(context: Context, path: string, data: Uint8Array): Promise<void> {
  const { signal } = context.interrupts;
  await writeOutputFile(resolve(context.cwd, path), data, { signal }).catch((cause: unknown) => {
    throw cannotWrite(path, cause);
  });
}

/** The extension of `--output`, in lower case. Throws UsageError unless it is one of `known`. */
export function outputExtension<const E extends string>(
  output: string,
  known: readonly E[],
  remedy: string,
): E {
  const extension = extname(output).toLowerCase();
  const found = known.find((one) => one === extension);
  if (found !== undefined) return found;
  const what = extension === '' ? 'no extension' : `the unknown extension ${extension}`;
  throw new UsageError(`--output: ${output} has ${what}`, remedy);
}
