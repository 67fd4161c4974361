import { sleep } from '../../lib/async/sleep.js';
import { type ProcessIdentity, processIs, signalProcess } from '../../lib/process/identity.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { value } from '../framework/define.js';
import { timeLimit } from '../input/duration.js';
import { runningProcess } from './record.js';
import type { Target } from './target.js';
import { stateFlag } from './target.js';

const POLL_MS = 50;
const TIMEOUT_SECONDS = 30;

export const timeoutOption = value(
  '--timeout <duration>',
  'how long to wait until it has ended',
  timeLimit,
  { otherwise: `${TIMEOUT_SECONDS}s` },
);

/**
 * Ends the service and waits for it; resolves to its process id, or undefined if it does not run.
 * `graceful` lets running requests finish, `kill` does not.
 */
export async function stopService(
  context: Context,
  { record, directory }: Target,
  how: 'graceful' | 'kill',
  timeout: number = TIMEOUT_SECONDS,
): Promise<number | undefined> {
  const identity = await runningProcess(record);
  if (identity === undefined) return undefined;
  const { pid } = identity;
  await send(identity, how === 'kill' ? 'SIGKILL' : 'SIGTERM');
  context.whenInterrupted('the service was told to stop and may still be stopping');
  for (const end = performance.now() + timeout * 1000; await processIs(identity); ) {
    if (performance.now() > end) {
      throw new CliError(`the service, process ${pid}, has not ended after ${timeout} s`, {
        remedy: `kill it: vc service stop --force${stateFlag(context, directory)}`,
        code: 'timeout',
      });
    }
    await sleep(POLL_MS, context.interrupts.signal);
  }
  return pid;
}

async function send(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<void> {
  await signalProcess(identity, signal).catch((cause: unknown) => {
    const { pid, uid } = identity;
    throw new CliError(`cannot stop process ${pid}: it belongs to another user`, {
      remedy: `run this as its user, whose id is ${uid}`,
      exitCode: ExitCode.authentication,
      cause,
    });
  });
}
