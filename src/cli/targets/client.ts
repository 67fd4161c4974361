import { Client } from '../../client/client.js';
import { ServiceError } from '../../client/errors.js';
import type { ClientOptions } from '../../client/options.js';
import type { RequestArguments } from '../../client/requests.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { Answer, OperationName } from '../../contract/types/index.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';

/** What a client needs of the settings. */
export type ClientSettings = Pick<
  ClientOptions,
  'baseUrl' | 'apiKey' | 'socketPath' | 'ca' | 'checkAfterMs'
>;

/** A client with the user agent `vc`. Throws TypeError like {@link Client}. */
export function openClient(settings: ClientSettings): Client {
  return new Client(clientOptions(settings));
}

/** Options of a client of the command line. */
export function clientOptions(options: ClientSettings): ClientOptions {
  return {
    ...options,
    userAgent: 'vc',
    // A person decides whether to try again.
    maxRetries: 0,
  };
}

/** Runs an operation of the service; Ctrl-C aborts it. */
export async function request<N extends OperationName>(
  context: Context,
  operation: N,
  ...[options]: RequestArguments<N>
): Promise<Answer<N>> {
  const client = await context.client();
  const { signal } = context.interrupts;
  return client.requestAny(operation, { ...options, signal }).catch(async (error: unknown) => {
    if (isNotFound(error)) await refuseOthers(client, operation, signal);
    throw error;
  });
}

/** To others than administrators with all rights, the paths of administrators do not exist. */
async function refuseOthers(
  client: Client,
  operation: OperationName,
  signal: AbortSignal,
): Promise<void> {
  const { operations } = await import('../../contract/operations.js');
  const { administrators }: Operation = operations[operation];
  if (administrators !== true) return;
  const me = await client.request('getMe', { signal });
  const { rights, project } = me.key;
  if (me.role === 'administrator' && rights === 'manage' && project === null) return;
  throw new CliError('this needs the key of an administrator, with all rights', {
    remedy: 'see whose key you use: vc whoami',
    exitCode: ExitCode.authentication,
    code: 'forbidden',
  });
}

/** True if the service answered that something does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'not_found';
}

/** Resolves if a service answers, else throws ServiceUnreachableError or ServiceSilentError. */
export async function checkReachable(client: Client, signal: AbortSignal): Promise<void> {
  await client.request('health', { signal }).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
}
