import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';

/** Throws unless the computer runs or will; `argument` names it in the command that starts it. */
export function refuseStopped(status: string, name: string, argument: string): void {
  if (status === 'running' || status === 'starting') return;
  throw new CliError(`${name} is ${status}`, {
    remedy: `start it: vc start ${argument}`,
    exitCode: ExitCode.conflict,
    code: 'not_running',
  });
}
