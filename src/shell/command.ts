import type { ClientChannel } from 'ssh2';
import { ApiError } from '../contract/errors.js';
import type { Connection } from './connection.js';
import { Exit } from './exit.js';
import { HeaderReader } from './header.js';
import { endGroup, FROM_INPUT, signalGroup } from './scripts.js';

/** How long members of a group may take to end when they are asked to. */
const GRACE_MS = 500;
/** How long the guest may take to start a command. */
const START_MS = 10_000;
/** How long the guest may take beyond that until it counts as not answering. */
const GUEST_MS = 3_000;

export interface CommandInput {
  /** Command line in the guest: a constant with numbers at most. */
  readonly bootstrap: string;
  /** All of its standard input. */
  readonly input: string | Buffer;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
}

export interface CommandResult {
  /** What the bootstrap said first: a process id, or {@link NO_DIRECTORY}. */
  readonly header: string | undefined;
  readonly code: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
}

/**
 * Runs one command to its end. At the time-out, and when the signal aborts, its whole process
 * group is ended: asked first, by force after half a second. Rejects with the signal's reason, or
 * `guest_timeout` when the guest does not do what it is told.
 */
export async function runCommand(
  connection: Connection,
  command: CommandInput,
): Promise<CommandResult> {
  const { signal } = command;
  signal?.throwIfAborted();
  const withinMs = Math.min(START_MS, command.timeoutMs + GUEST_MS);
  const channel = await connection.exec(command.bootstrap, { withinMs });
  if (signal?.aborted) {
    channel.close();
    throw signal.reason;
  }
  const header = new HeaderReader(command.onStdout);
  const exit = new Exit(connection, channel);
  channel.on('data', (chunk: Buffer) => {
    exit.touch();
    header.write(chunk);
  });
  channel.stderr.on('data', (chunk: Buffer) => {
    exit.touch();
    command.onStderr(chunk);
  });
  channel.end(command.input);
  const end = await firstOf(exit, command.timeoutMs, signal);
  if (end !== 'ended') await terminate(connection, channel, header.line, exit);
  signal?.throwIfAborted();
  const { code, signal: killedBy } = await exit.ended;
  return { header: header.line, code, signal: killedBy, timedOut: end === 'timeout' };
}

/** Ends the command's group and waits until the command is gone. */
export async function terminate(
  connection: Connection,
  channel: ClientChannel,
  header: string | undefined,
  exit: Exit,
): Promise<void> {
  const pid = Number(header);
  const asked = pid > 1 ? endProcessGroup(connection, pid) : Promise.resolve(false);
  // A guest that can start no process any more (a fork bomb, memory used up) leaves this way.
  if (!(await asked)) connection.signal(channel, 'KILL');
  if (await exit.within(GUEST_MS)) return;
  const message = 'The computer did not end the command; it seems frozen.';
  exit.abandon(new ApiError('guest_timeout', message));
  await exit.ended;
}

/** Resolves with false when the guest could not do it in time. */
function endProcessGroup(connection: Connection, pid: number): Promise<boolean> {
  return aside(connection, endGroup(pid, GRACE_MS));
}

/** Resolves with false when the guest could not do it in time. */
export function signalProcessGroup(
  connection: Connection,
  pid: number,
  name: string,
): Promise<boolean> {
  return aside(connection, signalGroup(pid, name));
}

/** Runs one of our own short scripts. */
async function aside(connection: Connection, script: string): Promise<boolean> {
  let channel: ClientChannel;
  try {
    channel = await connection.exec(FROM_INPUT, { withinMs: GUEST_MS });
  } catch {
    return false;
  }
  const exit = new Exit(connection, channel);
  channel.resume();
  channel.stderr.resume();
  channel.end(script);
  if (await exit.within(GRACE_MS + GUEST_MS)) return (await exit.ended).code !== null;
  channel.close();
  return false;
}

function firstOf(
  exit: Exit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<'ended' | 'timeout' | 'aborted'> {
  return new Promise((resolve) => {
    const done = (how: 'ended' | 'timeout' | 'aborted') => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(how);
    };
    const onAbort = () => done('aborted');
    const timer = setTimeout(() => done('timeout'), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    // A lost connection is an end as well; whoever reads the status hears of it.
    exit.ended.finally(() => done('ended')).catch(() => undefined);
  });
}
