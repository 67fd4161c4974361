import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../contract/index.js';
import { inCommands } from './address.js';
import { onComputer } from './computers.js';
import type { Context } from './context.js';
import { flag, value } from './define.js';
import { CliError } from './errors.js';
import { number } from './parse.js';

const POLL_MS = 250;

/** Nobody who gives no time-out waits longer; an emulated machine takes a while to boot. */
const READY_SECONDS = 300;

const seconds = number({ min: 0.1, max: 86_400, unit: 'seconds', step: 'any' });

/** Options of commands that wait until a computer can be used. */
export const waiting = {
  wait: flag('--no-wait', 'do not wait until it is ready'),
  timeout: value('--timeout <seconds>', 'give up waiting after so long', seconds, {
    otherwise: String(READY_SECONDS),
  }),
};

interface Waiting {
  readonly wait: boolean;
  readonly timeout: number | undefined;
}

/** The query of an operation that can answer before the computer is ready. */
export function waitQuery({ wait, timeout }: Waiting): { wait: '0' } | undefined {
  return wait && timeout === undefined ? undefined : { wait: '0' };
}

/** The computer once it is ready: the service's own answer comes after 60 s at the latest. */
export async function untilReady(
  context: Context,
  computer: Answer<'getComputer'>,
  { wait, timeout }: Waiting,
): Promise<Answer<'getComputer'>> {
  if (!wait || computer.status !== 'starting') return computer;
  return waitForState(context, computer.id, 'running', timeout ?? READY_SECONDS);
}

/** Looks until the computer is in `state`; fails when it has failed or the time is over. */
export async function waitForState(
  context: Context,
  name: string,
  state: 'running' | 'stopped',
  timeout: number,
): Promise<Answer<'getComputer'>> {
  const deadline = performance.now() + timeout * 1000;
  for (;;) {
    const computer = await onComputer(context, 'getComputer', name);
    if (computer.status === state) return computer;
    if (computer.status === 'error') {
      throw new CliError(`${name} has failed: ${computer.status_reason ?? 'no reason is known'}`, {
        hint: `try again: vc computer restart ${inCommands(context, name)}`,
      });
    }
    if (performance.now() >= deadline) {
      throw new CliError(`${name} is ${computer.status} after ${timeout} s, not ${state}`, {
        hint: 'wait longer with --timeout',
        code: 'timeout',
      });
    }
    await sleep(POLL_MS, undefined, { signal: context.interrupts.signal });
  }
}
