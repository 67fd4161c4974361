import type { ClientChannel } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import { abortable, onAbort } from '../../lib/async/abort.js';
import { resolvesWithin } from '../../lib/async/deadline.js';
import type { CappedOutput } from '../../lib/streams/capped-output.js';
import type { Connection } from '../connection.js';
import { Exit } from './exit.js';
import { HeaderReader } from './header.js';
import { endGroup, FROM_INPUT, signalGroup } from './scripts.js';

/** Milliseconds that a process group has between SIGTERM and SIGKILL. */
const GRACE_MS = 500;
/** Milliseconds that the guest has to start a command. */
const START_MS = 10_000;
/** Milliseconds that the guest has for a request beyond the command's own time. */
const GUEST_MS = 3_000;

interface CommandInput {
  /** The command line in the guest: constant except for numbers. */
  readonly bootstrap: string;
  /** All of its standard input. */
  readonly input: string | Buffer;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What the output is kept in; an abort discards it before the command has ended. */
  readonly kept: readonly CappedOutput[];
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
}

export interface CommandResult {
  /** The bootstrap's first line: a process id, or {@link NO_DIRECTORY}. */
  readonly header: string | undefined;
  readonly code: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
}

/**
 * Runs one command to its end. On time-out or abort, terminates its process group and kills it
 * after half a second. Rejects with the signal's reason, or `guest_timeout` when the guest does
 * not react.
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
    exit.touch(chunk);
    header.write(chunk);
  });
  channel.stderr.on('data', (chunk: Buffer) => {
    exit.touch(chunk);
    command.onStderr(chunk);
  });
  channel.end(command.input);
  const dispose = onAbort(signal, () => {
    for (const output of command.kept) output.discard();
  });
  try {
    const end = await firstOf(exit, command.timeoutMs, signal);
    if (end !== 'ended') await terminate(connection, channel, header.line, exit);
    signal?.throwIfAborted();
    const { code, signal: killedBy } = await exit.ended;
    return { header: header.line, code, signal: killedBy, timedOut: end === 'timeout' };
  } finally {
    dispose();
  }
}

/** Ends the command's process group and waits until the command has ended. */
export async function terminate(
  connection: Connection,
  channel: ClientChannel,
  header: string | undefined,
  exit: Exit,
): Promise<void> {
  const pid = Number(header);
  const isDone = pid > 1 && (await endProcessGroup(connection, pid));
  // For a guest that cannot start another process, for example because of a fork bomb.
  if (!isDone) connection.signal(channel, 'KILL');
  if (await resolvesWithin(exit.ended, GUEST_MS)) return;
  const message = 'The computer did not end the command; it seems frozen.';
  exit.abandon(new ApiError('guest_timeout', message));
  await exit.ended;
}

/** Resolves to false when the guest did not do it in time. */
/** Ends the process group, or what is left of it; resolves to false when the guest did not do it. */
export function endProcessGroup(connection: Connection, pid: number): Promise<boolean> {
  return runScript(connection, endGroup(pid, GRACE_MS));
}

export function signalProcessGroup(
  connection: Connection,
  pid: number,
  name: string,
): Promise<boolean> {
  return runScript(connection, signalGroup(pid, name));
}

/** Runs a short script; resolves to false when it did not end in time. */
async function runScript(connection: Connection, script: string): Promise<boolean> {
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
  if (await resolvesWithin(exit.ended, GRACE_MS + GUEST_MS)) {
    return (await exit.ended).code !== null;
  }
  channel.close();
  return false;
}

function firstOf(
  exit: Exit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<'ended' | 'timeout' | 'aborted'> {
  // A lost connection counts as an end; the caller reads its error from `exit.ended`.
  const ended = exit.ended.catch(() => undefined);
  return abortable(resolvesWithin(ended, timeoutMs), signal).then(
    (isEnded) => (isEnded ? 'ended' : 'timeout'),
    () => 'aborted',
  );
}
