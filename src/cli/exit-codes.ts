import { constants } from 'node:os';
import type { ErrorCode } from '../contract/errors.js';

/** Documented and stable; `exec` and `bash` end with the command's own code. */
export const ExitCode = {
  ok: 0,
  failure: 1,
  usage: 2,
  authentication: 4,
  notFound: 5,
  conflict: 6,
  unreachable: 7,
  interrupted: 130,
} as const;

/** What each code means, for help and the manual. */
export const exitCodeMeanings: readonly (readonly [number, string])[] = [
  [ExitCode.ok, 'it worked'],
  [ExitCode.failure, 'it failed: the service, the computer or this machine says why'],
  [ExitCode.usage, 'the command line is not valid; nothing was asked of the service'],
  [ExitCode.authentication, 'the API key is missing or wrong'],
  [ExitCode.notFound, 'no such project, computer, key or profile'],
  [ExitCode.conflict, 'a limit is reached, a name is taken, or the state does not allow it'],
  [ExitCode.unreachable, 'the service, or the engine behind it, cannot be reached'],
  [ExitCode.interrupted, 'interrupted with Ctrl-C'],
];

const byErrorCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  name_taken: ExitCode.conflict,
  limit_reached: ExitCode.conflict,
  not_running: ExitCode.conflict,
  conflict: ExitCode.conflict,
  rate_limited: ExitCode.conflict,
  unauthorized: ExitCode.authentication,
  not_found: ExitCode.notFound,
  engine_unavailable: ExitCode.unreachable,
};

/** The exit code that an error of the contract's catalogue ends a command with. */
export function exitCodeOf(code: ErrorCode): number {
  return byErrorCode[code] ?? ExitCode.failure;
}

/** A program's own exit code; 128 and the number of the signal that ended it. */
export function processExitCode(exit: { code: number | null; signal: string | null }): number {
  if (exit.code !== null) return exit.code;
  const name = `SIG${(exit.signal ?? 'KILL').replace(/^SIG/, '')}`;
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return 128 + (numbers[name] ?? constants.signals.SIGKILL);
}
