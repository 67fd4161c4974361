import { errorMessage } from '../../lib/text/error-message.js';
import { CliError } from './cli-error.js';
import { ExitCode } from './exit-codes.js';

/** Reason and remedy by the code of a system error. */
type Explanations = Readonly<Record<string, readonly [reason: string, remedy: string]>>;

const reading: Explanations = {
  ENOENT: ['no such file or directory', 'check the path'],
  EACCES: ['permission denied', 'check the permissions of the file'],
  ENOTDIR: ['not a directory', 'check the path'],
  EISDIR: ['is a directory', 'give the path of a file'],
  ENAMETOOLONG: ['file name too long', 'check the path'],
};

const writing: Explanations = {
  ENOENT: ['no such directory', 'create the directory first, or choose another path'],
  EACCES: ['permission denied', 'choose a directory that you can write to'],
  EPERM: ['permission denied', 'choose a directory that you can write to'],
  ENOTDIR: ['not a directory', 'choose another path'],
  EEXIST: ['file exists', 'choose another name'],
  EISDIR: ['is a directory', 'give the path of a file'],
  EROFS: ['read-only file system', 'choose another directory'],
  ENOSPC: ['no space left on device', 'free some space, or choose another directory'],
  EDQUOT: ['disk quota exceeded', 'free some space, or choose another directory'],
  ENAMETOOLONG: ['file name too long', 'choose a shorter name'],
};

/** The error for a file of this machine that cannot be read. */
export function cannotRead(path: string, cause: unknown): CliError {
  const [reason, remedy] = explain(reading, cause, 'check the path');
  const exitCode = ExitCode.usage;
  return new CliError(`cannot read ${path}: ${reason}`, { remedy, exitCode, cause });
}

/** The error for a file of this machine that cannot be written. */
export function cannotWrite(path: string, cause: unknown): CliError {
  const [reason, remedy] = explain(writing, cause, 'choose another path');
  return new CliError(`cannot write ${path}: ${reason}`, { remedy, cause });
}

/** A system error about a path, such as Node's `EACCES: …, mkdir '/x'`, in words; else undefined. */
export function systemError(error: unknown): CliError | undefined {
  if (!(error instanceof Error && 'path' in error && 'syscall' in error)) return undefined;
  if (!('code' in error) || writing[String(error.code)] === undefined) return undefined;
  // Of a program that is missing, the path is its name.
  if (String(error.syscall).startsWith('spawn')) return undefined;
  const verb = error.syscall === 'mkdir' ? 'create' : error.syscall;
  const [reason, remedy] = explain(writing, error, 'choose another path');
  return new CliError(`cannot ${verb} ${error.path}: ${reason}`, { remedy, cause: error });
}

function explain(explanations: Explanations, cause: unknown, remedy: string) {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = errorMessage(cause);
  return explanations[code] ?? ([message, remedy] as const);
}
