import type { Computer } from '../../contract/types/index.js';
import { sleep } from '../../lib/async/sleep.js';
import { type CallOptions, milliseconds, withTimeLimit } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import { ComputerStartError } from '../errors.js';

/** How a call waits for a computer. */
export interface WaitOptions extends CallOptions {
  /** False: resolve at once, while the computer still starts. */
  readonly wait?: boolean | undefined;
}

/** Time for a computer to start if the caller names none, in milliseconds. */
const START_MS = 600_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Runs `begin`, an operation that starts a computer, and resolves when the computer can be used. The
 * service itself answers after a minute; this keeps asking it, for ten minutes at most.
 * @throws ComputerStartError it failed, or was stopped meanwhile
 */
export async function untilReady(
  client: Client,
  options: WaitOptions,
  begin: (query: { wait: '0' | '1' }, call: CallOptions) => Promise<Computer>,
): Promise<Computer> {
  const { wait = true, signal, timeoutMs } = options;
  if (!wait) return begin({ wait: '0' }, { signal, timeoutMs });
  const limit = { signal, timeoutMs: timeoutMs === undefined ? START_MS : milliseconds(timeoutMs) };
  return withTimeLimit(limit, client.baseUrl, async (both) => {
    let computer = await begin({ wait: '1' }, { signal: both });
    for (let pause = FIRST_PAUSE_MS; computer.status === 'starting'; pause *= 1.5) {
      await sleep(Math.min(pause, LONGEST_PAUSE_MS), both);
      const params = { id: computer.id };
      computer = await client.request('getComputer', { params, signal: both });
    }
    return computer;
  });
}

/** Throws unless the computer runs. */
export function requireRunning(computer: Computer): Computer {
  if (computer.status !== 'running') throw new ComputerStartError(computer);
  return computer;
}
