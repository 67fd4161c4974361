import { CliError } from './errors.js';
import { ExitCode } from './exit-codes.js';

/** Why something could not be done with a file, and what to do about it. */
interface Why {
  readonly reason: string;
  readonly next: string;
}

const whenReading: Readonly<Record<string, Why>> = {
  ENOENT: { reason: 'it does not exist', next: 'check the path' },
  EACCES: { reason: 'no permission', next: 'check its permissions' },
  ENOTDIR: { reason: 'it is not below a directory', next: 'check the path' },
  EISDIR: { reason: 'it is a directory', next: 'give a file' },
  ENAMETOOLONG: { reason: 'the name is too long', next: 'check the path' },
};

const whenWriting: Readonly<Record<string, Why>> = {
  ENOENT: { reason: 'the directory does not exist', next: 'make it first, or choose another' },
  EACCES: { reason: 'no permission', next: 'choose a place that you may write to' },
  EPERM: { reason: 'no permission', next: 'choose a place that you may write to' },
  ENOTDIR: { reason: 'it is not below a directory', next: 'choose another place' },
  EEXIST: { reason: 'something else has that name', next: 'choose another name' },
  EISDIR: { reason: 'it is a directory', next: 'give the name of a file' },
  EROFS: { reason: 'the file system is read-only', next: 'choose another place' },
  ENOSPC: { reason: 'the disk is full', next: 'make room, or choose another place' },
  EDQUOT: { reason: 'the quota is used up', next: 'make room, or choose another place' },
  ENAMETOOLONG: { reason: 'the name is too long', next: 'choose a shorter one' },
};

/** A file or directory of this machine that the command line names cannot be read. */
export function cannotRead(path: string, cause: unknown): CliError {
  const { reason, next } = why(whenReading, cause, 'check the path');
  const exitCode = ExitCode.usage;
  return new CliError(`cannot read ${path}: ${reason}`, { hint: next, exitCode, cause });
}

/** A file or directory of this machine cannot be written or made. */
export function cannotWrite(path: string, cause: unknown): CliError {
  const { reason, next } = why(whenWriting, cause, 'choose another place');
  return new CliError(`cannot write ${path}: ${reason}`, { hint: next, cause });
}

function why(reasons: Readonly<Record<string, Why>>, cause: unknown, next: string): Why {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = cause instanceof Error ? cause.message : String(cause);
  return reasons[code] ?? { reason: message, next };
}
