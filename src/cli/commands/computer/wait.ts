import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../../contract/index.js';
import { computerArgument, onComputer } from '../../computers.js';
import type { Context } from '../../context.js';
import { choice, defineCommand, flag, optional, value } from '../../define.js';
import { CliError, UsageError } from '../../errors.js';
import { printJson } from '../../output.js';
import { number, region } from '../../parse.js';
import { during } from '../../progress.js';

const seconds = number({ min: 0, max: 60, unit: 'seconds', step: 'any' });
const timeouts = number({ min: 0.1, max: 86_400, unit: 'seconds', step: 'any' });
const POLL_MS = 250;

export const command = defineCommand({
  name: 'wait',
  summary: 'Wait for a time, for the screen or for a state',
  details: 'Give one of: SECONDS, --stable, --change, --for.',
  arguments: {
    computer: computerArgument,
    seconds: optional('seconds', 'how long, up to 60', seconds),
  },
  options: {
    stable: flag('--stable', 'until the screen no longer changes'),
    change: flag('--change', 'until the screen changes'),
    for: choice('--for <state>', 'until it is so', ['running', 'stopped']),
    region: value('--region <x,y,w,h>', 'look at this part of the screen only', region),
    timeout: value('--timeout <seconds>', 'give up after so long', timeouts, {
      otherwise: '10, with --for 60',
    }),
  },
  examples: [
    { does: 'Until a page has been drawn', command: 'vc computer wait demo/desktop --stable' },
    { does: 'Two seconds', command: 'vc computer wait demo/desktop 2' },
    {
      does: 'Until it is stopped',
      command: 'vc computer wait demo/desktop --for stopped --timeout 120',
    },
  ],
  async run(context, { computer, seconds }, options) {
    const { stable, change, for: state, region: area, timeout } = options;
    const given = [seconds !== undefined, stable, change, state !== undefined].filter(Boolean);
    if (given.length !== 1)
      throw new UsageError('give one of SECONDS, --stable, --change or --for');
    const until = stable ? 'stable' : change ? 'change' : undefined;
    const work: Promise<unknown> =
      state === undefined
        ? onComputer(context, 'wait', computer, {
            ...{ duration: seconds, until, timeout },
            region: area && [area.x, area.y, area.width, area.height],
          })
        : waitForState(context, computer, state, timeout ?? 60);
    const answer = await during(context.progress(`Waiting for ${computer}`), work);
    if (context.globals.json) await printJson(context, answer);
    return undefined;
  },
});

/** Looks until the computer is in `state`; fails when it has failed or the time is over. */
async function waitForState(
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
      throw new CliError(`${name} has failed: ${computer.status_reason ?? 'no reason is known'}`);
    }
    if (performance.now() >= deadline) {
      throw new CliError(`${name} is ${computer.status} after ${timeout} s, not ${state}`, {
        code: 'timeout',
      });
    }
    await sleep(POLL_MS, undefined, { signal: context.interrupts.signal });
  }
}
