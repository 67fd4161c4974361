import { ServiceError, ServiceTimeoutError, ServiceUnreachableError } from '../client/errors.js';
import { ApiError } from '../contract/errors.js';
import { LOCAL_BASE_URL, ProfileFileError, UnknownProfileError } from '../profile/index.js';
import { adviceFor, adviceOf, adviceOfWords } from './advice.js';
import type { Surroundings } from './create-context.js';
import { CliError } from './errors.js';
import { ExitCode, exitCodeOf } from './exit-codes.js';
import { write } from './io.js';
import { printable, wantsColor } from './style.js';

/** An error as the user gets it. */
export interface Report {
  readonly code: string;
  /** What went wrong and why, one line. */
  readonly message: string;
  /** What to do next, one line. */
  readonly hint?: string;
  readonly exitCode: number;
  readonly requestId?: string;
}

/**
 * What an error means to the user. Only errors of ours can be expected; others are defects.
 * `computer` is what the user called the computer that the command is about.
 */
export function reportOf(error: unknown, computer?: string): Report {
  if (error instanceof CliError) {
    const { code, message, hint, exitCode } = error;
    return { code, message, hint, exitCode };
  }
  if (error instanceof ApiError) return serviceReport(error, computer);
  if (error instanceof ServiceUnreachableError) {
    const isLocal = error.baseUrl.replace(/\/$/, '') === LOCAL_BASE_URL;
    return {
      code: 'unreachable',
      message: error.message,
      hint: isLocal
        ? 'start it with: vc serve --detach'
        : 'start it there with vc serve, or say where it is: --base-url, VC_BASE_URL or a profile',
      exitCode: ExitCode.unreachable,
    };
  }
  if (error instanceof ServiceTimeoutError) {
    const [message = '', goesOn] = error.message.split('; ');
    return { code: 'timeout', message, hint: goesOn, exitCode: ExitCode.unreachable };
  }
  if (error instanceof UnknownProfileError) {
    const known = error.known.length === 0 ? 'there is none yet' : error.known.join(', ');
    const hint = `profiles: ${known}; add one with: vc profile add ${error.profile} --base-url URL`;
    return { code: 'not_found', message: error.message, hint, exitCode: ExitCode.notFound };
  }
  if (error instanceof ProfileFileError) {
    return { code: 'profile_file', message: error.message, exitCode: ExitCode.failure };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'failure', message, exitCode: ExitCode.failure };
}

function serviceReport(error: ApiError, computer: string | undefined): Report {
  const { code } = error;
  const exitCode = exitCodeOf(code);
  const { message, remedy, next } = adviceOf(error, computer);
  if (!(error instanceof ServiceError)) {
    // From this machine, where what mends it can be run.
    const hint = remedy === undefined ? (next ?? adviceOfWords(message)) : `try: ${remedy}`;
    return { code, message, hint, exitCode };
  }
  const { requestId } = error;
  const ours = adviceFor({ code, message, requestId, computer });
  if (code === 'internal') return { code, message: error.message, hint: ours, exitCode, requestId };
  const theirs = remedy === undefined ? next : `on the machine of the service: ${remedy}`;
  const hint = code === 'unauthorized' ? ours : (theirs ?? ours);
  return { code, message, hint, exitCode, requestId };
}

/** Prints a report on stderr: two lines at most, or one JSON document. */
export async function printReport(
  { io, env }: Surroundings,
  report: Report,
  as: { readonly json: boolean; readonly color: boolean },
): Promise<void> {
  const { code, message, hint, requestId } = report;
  if (as.json) {
    const error = { code, message, hint, request_id: requestId };
    await write(io.stderr, `${JSON.stringify({ error })}\n`);
    return;
  }
  let label = 'error:';
  if (wantsColor(io.stderr, env, as)) {
    const { Chalk } = await import('chalk');
    label = new Chalk({ level: 1 }).red(label);
  }
  const next = hint === undefined ? '' : `       ${printable(hint)}\n`;
  // The terminal has echoed ^C, or a question stands there.
  const start = code === 'interrupted' && io.stderr.isTTY ? '\n' : '';
  await write(io.stderr, `${start}${label} ${printable(oneLine(message))}\n${next}`);
}

function oneLine(message: string): string {
  return message.trim().replaceAll(/\s*\n\s*/g, ' ');
}
