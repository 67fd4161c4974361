import { resolve } from 'node:path';
import { readBounded } from '../../../lib/fs/read-bounded.js';
import { UsageError } from '../../errors/cli-error.js';
import { cannotRead } from '../../errors/file-errors.js';
import type { Context } from '../../framework/context.js';
import { value } from '../../framework/define.js';
import { nonEmpty } from '../parse.js';
import { decodeText, MOST_TEXT, readAll } from './stdin.js';

/** The text of a local file, or of stdin for `-`. Throws CliError if it cannot be read. */
export async function readScript(context: Context, path: string): Promise<string> {
  if (path === '-') return readAll(context);
  const bytes = await readBounded(resolve(context.cwd, path), MOST_TEXT).catch((cause: unknown) => {
    throw cannotRead(path, cause);
  });
  return decodeText(bytes, path);
}

/** Options for what to run, the same for each language. */
export const scriptOptions = {
  code: value('-c, --code <code>', 'code to run', nonEmpty),
  file: value('-f, --file <file>', 'local file to run, or - for stdin', nonEmpty),
};

interface Given {
  /** The positional argument. */
  readonly argument: string | undefined;
  /** What it is; `-` is stdin either way. */
  readonly argumentIs: 'text' | 'file';
  readonly code: string | undefined;
  readonly file: string | undefined;
}

export interface Script {
  readonly text: string;
  readonly isFromStdin: boolean;
}

/**
 * The only script that was given, or stdin unless it is a terminal. Throws UsageError for none, or
 * more than one.
 */
export async function givenScript(context: Context, given: Given): Promise<Script> {
  const { argument, argumentIs, code, file } = given;
  const all = [argument, code, file].filter((one) => one !== undefined);
  if (all.length > 1) throw new UsageError('give one script only');
  const isFromStdin = all.length === 0 || argument === '-' || file === '-';
  if (all.length === 0 && context.io.stdin.isTTY) throw noScript();
  const path = isFromStdin ? '-' : (file ?? (argumentIs === 'file' ? argument : undefined));
  const text = code ?? (path === undefined ? (argument ?? '') : await readScript(context, path));
  if (all.length === 0 && text === '') throw noScript();
  return { text, isFromStdin };
}

function noScript(): UsageError {
  return new UsageError('no script given', 'give it as an argument, with -f FILE, or on stdin');
}
