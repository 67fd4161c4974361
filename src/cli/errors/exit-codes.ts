import { constants } from 'node:os';
import type { ErrorCode } from '../../contract/errors.js';

/** Documented and stable. */
export const ExitCode = {
  ok: 0,
  failure: 1,
  usage: 2,
  differs: 3,
  authentication: 4,
  notFound: 5,
  conflict: 6,
  unreachable: 7,
  /** As of timeout(1). */
  timedOut: 124,
  /** As of `docker run`. */
  notRun: 125,
  /** As of shells: there is no such program. Returned by the computer, not by vc. */
  noProgram: 127,
  interrupted: 130,
  /** As of a program that SIGPIPE ends. */
  readerGone: 141,
} as const;

/** For help and the manual. */
export const exitCodeMeanings: readonly (readonly [number, string])[] = [
  [ExitCode.ok, 'success'],
  [ExitCode.failure, 'failure'],
  [ExitCode.usage, 'invalid command line; no request was sent'],
  [
    ExitCode.differs,
    'diff and up: a computer differs from the file; computer replay: the screen from the recording',
  ],
  [ExitCode.authentication, 'missing or invalid API key, or one whose rights do not allow it'],
  [ExitCode.notFound, 'project, computer, image, key, owner or profile not found'],
  [ExitCode.conflict, 'limit reached, name taken, or not possible in the current state'],
  [ExitCode.unreachable, 'service or engine unavailable'],
  [ExitCode.timedOut, 'exec, bash, python and wait: ended at the time of --timeout'],
  [
    ExitCode.notRun,
    'exec, bash, python, shell, ssh and record-run: any other failure of vc itself',
  ],
  [ExitCode.interrupted, 'interrupted with Ctrl-C'],
  [ExitCode.readerGone, 'the reader of the output has closed the pipe'],
];

const byErrorCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  name_taken: ExitCode.conflict,
  limit_reached: ExitCode.conflict,
  not_running: ExitCode.conflict,
  conflict: ExitCode.conflict,
  controlled: ExitCode.conflict,
  rate_limited: ExitCode.conflict,
  unauthorized: ExitCode.authentication,
  forbidden: ExitCode.authentication,
  not_found: ExitCode.notFound,
  image_missing: ExitCode.notFound,
  engine_unavailable: ExitCode.unreachable,
};

/** The exit code for an error code of the contract. */
export function exitCodeOf(code: ErrorCode): number {
  return byErrorCode[code] ?? ExitCode.failure;
}

/** The exit code of a program, or 128 plus the number of the signal that ended it. */
export function processExitCode(exit: { code: number | null; signal: string | null }): number {
  if (exit.code !== null) return exit.code;
  const name = `SIG${(exit.signal ?? 'KILL').replace(/^SIG/, '')}`;
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return 128 + (numbers[name] ?? constants.signals.SIGKILL);
}

/** The exit code for a failure of vc itself: 125 for a command that returns that of a program. */
export function failureCode(code: number, command: { runsProgram?: true } = {}): number {
  const isOwn = code === ExitCode.timedOut || code === ExitCode.interrupted;
  return command.runsProgram && !isOwn ? ExitCode.notRun : code;
}
