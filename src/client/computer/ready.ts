import type { Computer } from '../../contract/types/index.js';
import { sleep } from '../../lib/async/sleep.js';
import { type CallOptions, milliseconds, withTimeLimit } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import { ComputerStartError } from '../errors.js';

type Status = Computer['status'];

/** How a call waits for a computer. */
export interface WaitOptions extends CallOptions {
  /** False: resolve at once, while the computer still starts. */
  readonly wait?: boolean | undefined;
}

/** Time for a computer to start if the caller names none, in milliseconds. */
const START_MS = 600_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

/** Statuses of a computer that is not ready yet. */
const STARTING: readonly Status[] = ['starting'];
/** A stopped computer is `stopping` while it is reset. */
export const RESETTING: readonly Status[] = ['starting', 'stopping'];

/** Sends a request with `wait` in its query. */
type Begin<T> = (query: { wait: '0' | '1' }, call: CallOptions) => Promise<T>;

/**
 * Runs `begin`, an operation that starts a computer, and resolves when the computer can be used. The
 * service itself answers after a minute; this keeps asking it, for ten minutes at most.
 */
export async function untilReady(
  client: Client,
  options: WaitOptions,
  begin: Begin<Computer>,
  passing = STARTING,
): Promise<Computer> {
  return within(client, options, begin, (computer, signal) =>
    polled(client, computer, passing, signal),
  );
}

/** The same for an operation that starts several. */
export async function untilAllReady(
  client: Client,
  options: WaitOptions,
  begin: Begin<readonly Computer[]>,
): Promise<readonly Computer[]> {
  return within(client, options, begin, (computers, signal) =>
    Promise.all(computers.map((computer) => polled(client, computer, STARTING, signal))),
  );
}

async function within<T>(
  client: Client,
  { wait = true, signal, timeoutMs }: WaitOptions,
  begin: Begin<T>,
  poll: (begun: T, signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (!wait) return begin({ wait: '0' }, { signal, timeoutMs });
  const limit = { signal, timeoutMs: timeoutMs === undefined ? START_MS : milliseconds(timeoutMs) };
  return withTimeLimit(limit, client.baseUrl, async (both) =>
    poll(await begin({ wait: '1' }, { signal: both }), both),
  );
}

/** Asks for a computer until its status is none of `passing`. */
async function polled(
  client: Client,
  begun: Computer,
  passing: readonly Status[],
  signal: AbortSignal | undefined,
): Promise<Computer> {
  let computer = begun;
  for (let pause = FIRST_PAUSE_MS; passing.includes(computer.status); pause *= 1.5) {
    await sleep(Math.min(pause, LONGEST_PAUSE_MS), signal);
    const params = { id: computer.id };
    computer = await client.request('getComputer', { params, signal });
  }
  return computer;
}

/** Throws unless the computer runs. */
export function requireRunning(computer: Computer): Computer {
  if (computer.status !== 'running') throw new ComputerStartError(computer);
  return computer;
}

/** The same where the copy or reset of a stopped computer is stopped. */
export function requireUsable(computer: Computer): Computer {
  return computer.status === 'stopped' ? computer : requireRunning(computer);
}
