import { ExitCode } from './exit-codes.js';

export interface CliErrorOptions {
  /** What to do next, one line. */
  readonly hint?: string;
  readonly exitCode?: number;
  /** Machine-readable, for `--json`. */
  readonly code?: string;
  readonly cause?: unknown;
}

/** An error whose message is for the user: what went wrong and why, and what to do next. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly hint: string | undefined;
  readonly exitCode: number;
  readonly code: string;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? ExitCode.failure;
    this.code = options.code ?? 'failure';
  }
}

/** The command line, or a value in it, is not valid. Points at the command's help by default. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string, hint?: string) {
    super(message, { hint, exitCode: ExitCode.usage, code: 'usage' });
  }
}

/** Something was told to stop; `hint` says what goes on in the background. */
export class InterruptedError extends CliError {
  override readonly name = 'InterruptedError';

  constructor(hint?: string) {
    super('interrupted', { hint, exitCode: ExitCode.interrupted, code: 'interrupted' });
  }
}
