import { resolve } from 'node:path';
import { shellWord } from '../../lib/text/shell-word.js';
import { sameBaseUrl, stateDirectory } from '../../profile/index.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { value } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';
import { note } from '../output/print.js';
import { type FoundRecord, readServiceRecord } from './record.js';

/** Names the service of this machine that a command is about. */
export const stateOption = value(
  '--state <directory>',
  'state directory of the service',
  nonEmpty,
  {
    otherwise: 'VC_STATE_DIR or ~/.local/state/vc',
  },
);

/** A state directory and the last service that ran with it. */
export interface Target {
  readonly directory: string;
  readonly record: FoundRecord;
}

/** Throws if no service has run with the state directory. */
export async function findService(context: Context, state: string | undefined): Promise<Target> {
  const directory = resolve(context.cwd, state ?? stateDirectory(context.env));
  const record = await readServiceRecord(directory);
  if (record !== undefined) return { directory, record };
  throw new CliError(`no service has been started on this machine with the state in ${directory}`, {
    remedy: 'start one: vc serve --detach; or name its state directory with --state',
    exitCode: ExitCode.unreachable,
    code: 'unreachable',
  });
}

/** ` --state DIRECTORY` for a suggested command, unless it is the default. */
export function stateFlag({ env }: Pick<Context, 'env'>, directory: string): string {
  return directory === resolve(stateDirectory(env)) ? '' : ` --state ${shellWord(directory)}`;
}

/** Says how to open the web page of the service at `url`, if that is the one of other commands. */
export async function noteWebPage(context: Context, url: string): Promise<void> {
  const { baseUrl } = await context.settings();
  if (sameBaseUrl(baseUrl.value, url)) await note(context, 'to open its web page: vc dashboard');
}
