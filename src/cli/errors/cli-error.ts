import { ExitCode } from './exit-codes.js';

export interface CliErrorOptions {
  /** What to do next, one line. */
  readonly remedy?: string;
  readonly exitCode?: number;
  /** Machine-readable, for `--json`. */
  readonly code?: string;
  readonly cause?: unknown;
}

/** An error for the user: what went wrong and where, and what to do next. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly remedy: string | undefined;
  readonly exitCode: number;
  readonly code: string;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.remedy = options.remedy;
    this.exitCode = options.exitCode ?? ExitCode.failure;
    this.code = options.code ?? 'failure';
  }
}

/** The error for something that does not exist; `remedy` is the command that lists what does. */
export function notFound(message: string, remedy: string): CliError {
  return new CliError(message, { remedy, exitCode: ExitCode.notFound, code: 'not_found' });
}

/** An invalid command line. The default remedy is the help of the command. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string, remedy?: string) {
    super(message, { remedy, exitCode: ExitCode.usage, code: 'usage' });
  }
}

/** Ctrl-C or a signal; `note` says what the service keeps doing. */
export class InterruptedError extends CliError {
  override readonly name = 'InterruptedError';

  constructor(note?: string) {
    super('interrupted', { remedy: note, exitCode: ExitCode.interrupted, code: 'interrupted' });
  }
}
