import { shellWord } from '../../lib/text/shell-word.js';
import { sameBaseUrl } from '../../profile/index.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import { listenerAt, stateOfProcess } from '../service/listener.js';
import { readServiceRecord, runningProcess } from '../service/record.js';
import { formatListen } from './listen.js';
import type { ServePlan } from './options.js';

/**
 * Resolves if the service that answers at `url` is that of the plan's state directory.
 * @throws CliError `conflict` for any other service, whose API keys and computers are other ones
 */
export async function checkIsOurs(
  { listen, stateDirectory }: Pick<ServePlan, 'listen' | 'stateDirectory'>,
  url: string,
): Promise<void> {
  const { pid, uids } = await listenerAt(url);
  const record = await readServiceRecord(stateDirectory);
  if (record !== undefined) {
    const own = await runningProcess(record);
    // Without /proc only the address shows which service it is.
    const runs = own !== undefined || record.process === null;
    if (runs && (own?.pid === pid || sameBaseUrl(record.url, url))) return;
  }
  const state = pid === undefined ? undefined : await stateOfProcess(pid);
  const user = uids.find((uid) => uid !== process.geteuid?.());
  const facts = [
    ...(pid === undefined ? [] : [`process ${pid}`]),
    ...(state === undefined ? [] : [`with the state in ${state}`]),
    ...(user === undefined ? [] : [`of the user with id ${user}`]),
  ];
  const whose = facts.length === 0 ? '' : `: ${facts.join(', ')}`;
  const other = formatListen({ ...listen, port: listen.port < 65_535 ? listen.port + 1 : 1024 });
  const use =
    state === undefined
      ? 'to use it: vc login'
      : `to see it: vc service status --state ${shellWord(state)}`;
  throw new CliError(`another service listens on ${formatListen(listen)}${whose}`, {
    remedy: `${use}; to start one beside it: vc serve --detach --listen ${other}`,
    exitCode: ExitCode.conflict,
    code: 'conflict',
  });
}
