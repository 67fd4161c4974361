import { CliError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { defineCommand } from '../../framework/define.js';
import { during } from '../../output/progress.js';
import { startDetached } from '../../serve/detach.js';
import { type FoundRecord, runningProcess } from '../../service/record.js';
import { stopService, timeoutOption } from '../../service/stop.js';
import { findService, stateFlag, stateOption } from '../../service/target.js';

export const command = defineCommand({
  name: 'restart',
  summary: 'Restart the service with the same options',
  details: [
    'Stops the service that runs in the background and starts it again with the options it was started',
    'with, for example after an update of vc. Computers keep running. A service that has not ended',
    'after --timeout is killed; one that does not run is started. To change options: vc service stop, then vc serve --detach.',
  ].join(' '),
  arguments: {},
  options: { timeout: timeoutOption, state: stateOption },
  examples: [{ does: 'Restart the service after an update', command: 'vc service restart' }],
  async run(context, _, { timeout, state }) {
    const target = await findService(context, state);
    const { record, directory } = target;
    refuseForeign(record, directory);
    const running = await runningProcess(record);
    if (running !== undefined && record.log === null) {
      const flag = stateFlag(context, directory);
      throw new CliError(`the service, process ${running.pid}, runs in the foreground`, {
        remedy: `start it again where it runs; or continue in the background: vc service stop${flag} && vc service restart${flag}`,
        exitCode: ExitCode.conflict,
        code: 'conflict',
      });
    }
    const stopping = stopService(context, target, 'insist', timeout);
    await during(context.progress('Stopping the service'), stopping);
    context.whenInterrupted(`the service is stopped; to start it: vc service restart`);
    return startDetached(context, {
      url: record.url,
      argv: record.argv,
      stateDirectory: directory,
      env: { ...context.env, ...record.environment },
    });
  },
});

/** Another user's options must not become a service of this user, who may be root. */
function refuseForeign({ writtenBy }: FoundRecord, directory: string): void {
  const user = process.geteuid?.();
  if (user === undefined || writtenBy === user) return;
  throw new CliError(`the service with the state in ${directory} belongs to another user`, {
    remedy: `run this as its user, whose id is ${writtenBy}`,
    exitCode: ExitCode.authentication,
  });
}
