import { ServiceUnreachableError } from '../../client/errors.js';
import { DEFAULT_BASE_URL } from '../../contract/constants.js';
import { sameBaseUrl } from '../../profile/index.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';

/** Throws unless the service can run one more computer, which `what` needs. */
export async function checkService(context: Context, what: string): Promise<void> {
  const { interrupts } = context;
  try {
    const client = await context.client();
    const { running, max_running: most } = await client.request('getMe', {
      signal: interrupts.signal,
    });
    if (running < most) return;
    throw new CliError(`the limit of ${most} running computers is reached, and ${what} needs one`, {
      remedy: 'stop a computer: vc stop COMPUTER; see: vc ls --all',
      exitCode: ExitCode.conflict,
      code: 'limit_reached',
    });
  } catch (error) {
    const isLocal =
      error instanceof ServiceUnreachableError && sameBaseUrl(error.baseUrl, DEFAULT_BASE_URL);
    if (!isLocal) throw error;
    throw new CliError(error.message, {
      remedy: 'set it up: vc setup && vc image build linux && vc serve --detach',
      exitCode: ExitCode.unreachable,
      code: 'unreachable',
      cause: error,
    });
  }
}
