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

/** `graceful` lets running requests finish, `kill` does not; `insist` kills it when the time is up. */
type How = 'graceful' | 'insist' | 'kill';

/** Ends the service and waits for it; resolves to its process id, or undefined if it does not run. */
export async function stopService(
  context: Context,
  { record, directory }: Target,
  how: How,
  timeout: number = TIMEOUT_SECONDS,
): Promise<number | undefined> {
  const identity = await runningProcess(record);
  if (identity === undefined) return undefined;
  const { pid } = identity;
  await send(identity, how === 'kill' ? 'SIGKILL' : 'SIGTERM');
  // A stopped process ends only when it continues.
  if (how !== 'kill') await send(identity, 'SIGCONT');
  context.whenInterrupted('the service was told to stop and may still be stopping');
  if (await ends(context, identity, timeout)) return pid;
  if (how === 'insist') {
    await send(identity, 'SIGKILL');
    if (await ends(context, identity, timeout)) return pid;
  }
  throw new CliError(`the service, process ${pid}, has not ended after ${timeout} s`, {
    remedy: `kill it: vc service stop --force${stateFlag(context, directory)}`,
    code: 'timeout',
  });
}

/** False if the process still runs after so many seconds. */
async function ends(
  { interrupts }: Context,
  identity: ProcessIdentity,
  seconds: number,
): Promise<boolean> {
  for (const end = performance.now() + seconds * 1000; await processIs(identity); ) {
    if (performance.now() > end) return false;
    await sleep(POLL_MS, interrupts.signal);
  }
  return true;
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
