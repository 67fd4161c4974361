import type { Answer } from '../../contract/types/index.js';
import { sleep } from '../../lib/async/sleep.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { CliError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { flag, value } from '../framework/define.js';
import { timeLimit } from '../input/duration.js';
import { inCommands, isComputerId } from './computer-address.js';
import { onComputer } from './computers.js';

const POLL_MS = 250;

/** Default of --timeout. An emulated VM takes a while to boot. */
const READY_SECONDS = 300;
/** How long to wait for one with a setup: the service ends that after 30 minutes. */
export const SETUP_SECONDS = 35 * 60;

/** Options of commands that wait until a computer is ready. */
export const waitOptions = {
  wait: flag('--no-wait', 'do not wait until it is ready'),
  timeout: value('--timeout <duration>', 'how long to wait', timeLimit, {
    otherwise: `${READY_SECONDS}s`,
  }),
};

interface WaitOptions {
  readonly wait: boolean;
  readonly timeout: number | undefined;
}

/** The query that makes the service answer at once, where the CLI waits itself. */
export function waitQuery({ wait, timeout }: WaitOptions): { wait: '0' } | undefined {
  return wait && timeout === undefined ? undefined : { wait: '0' };
}

/** Waits until the computer is ready. The service itself waits for at most 60 s. */
export async function untilReady(
  context: Context,
  computer: Answer<'getComputer'>,
  { wait, timeout }: WaitOptions,
): Promise<Answer<'getComputer'>> {
  if (!wait || computer.status !== 'starting') return computer;
  return waitForStatus(context, computer.id, 'running', timeout ?? READY_SECONDS);
}

/** Throws if the computer could not be started. `argument` is its name in a command. */
export function failOnError(
  { status, status_reason: reason }: Answer<'getComputer'>,
  name: string,
  argument: string = shellWord(name),
): void {
  if (status !== 'error') return;
  throw new CliError(`${name} failed: ${reason ?? 'unknown reason'}`, {
    remedy: /^The setup (failed|was ended)/.test(reason ?? '')
      ? `read its output: vc start ${argument} && vc logs ${argument} setup`
      : `restart it: vc restart ${argument}`,
  });
}

/** Polls until the computer has the status. Throws if it fails or after `timeout` seconds. */
export async function waitForStatus(
  context: Context,
  name: string,
  status: 'running' | 'stopped',
  timeout: number,
): Promise<Answer<'getComputer'>> {
  const deadline = performance.now() + timeout * 1000;
  for (;;) {
    const computer = await onComputer(context, 'getComputer', name);
    if (computer.status === status) return computer;
    if (isComputerId(name)) failOnError(computer, `${computer.project_name}/${computer.name}`);
    else failOnError(computer, name, inCommands(context, name));
    if (performance.now() >= deadline) {
      throw new CliError(
        `${name} is not ${status} after ${timeout} s; its status is ${computer.status}`,
        { remedy: 'increase --timeout', code: 'timeout' },
      );
    }
    await sleep(POLL_MS, context.interrupts.signal);
  }
}
