import type { ChildProcess } from 'node:child_process';
import type { MachineNetwork } from '../network/plan.js';
import type { Account } from './account.js';
import { waitForEnd } from './end.js';
import { type ProcessIdentity, processIs } from './identity.js';
import { lastWords } from './log.js';
import { type Ended, readRecord } from './record.js';
import { type Spawned, spawnMachine } from './spawn.js';

const STARTED_WITHIN_MS = 15_000;

export interface LaunchRequest {
  /** The machine's directory, prepared; QEMU's working directory. Absolute. */
  readonly directory: string;
  readonly account: Account;
  readonly program: string;
  readonly args: readonly string[];
  /** At most two descriptors that QEMU gets as 3 and 4; they stay the caller's, who closes them. */
  readonly inherit?: readonly number[];
  readonly network: MachineNetwork;
  readonly acceleration: 'kvm' | 'tcg';
  /** The guest's port that `ssh.sock` in the directory leads to; QEMU forwards to it (netdev). */
  readonly relayPort?: number;
  readonly signal?: AbortSignal;
}

export interface Launched {
  readonly identity: ProcessIdentity;
  /** How it ended; never rejects. By then nothing that was started for it is left. */
  readonly ended: Promise<Ended>;
  /** What it said last, as one line. */
  lastWords(): Promise<string>;
}

/** A machine could not be started; the message says what said so. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

/**
 * Starts a machine's QEMU as a process of its own that outlives the service.
 *
 * Resolves when the process is about to be QEMU: whether it is found and likes its arguments shows
 * by `ended`. Rejects with {@link LaunchError} when a step before failed, or with the signal's
 * reason; then nothing that was started is left.
 */
export async function launch(request: LaunchRequest): Promise<Launched> {
  const { directory, signal } = request;
  signal?.throwIfAborted();
  await assertNotRunning(directory);
  const spawned = await spawnMachine(request);
  const { child, status, logStart } = spawned;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve());
  });
  const words = () => lastWords(directory, logStart);
  try {
    await started(spawned, exited, signal);
    const identity = (await readRecord(directory))?.identity;
    if (identity === undefined) throw new Error('it left no record');
    const ended = exited.then(() => waitForEnd(directory, identity)).catch(unknown);
    return { identity, ended, lastWords: words };
  } catch (cause) {
    endAll(child);
    await exited;
    signal?.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LaunchError(`the machine could not be started, ${reason}: ${await words()}`, {
      cause,
    });
  } finally {
    status.destroy();
    child.unref();
  }
}

/** Resolves when the scripts say that what follows is QEMU. */
async function started(
  { child, status }: Spawned,
  exited: Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const within = AbortSignal.timeout(STARTED_WITHIN_MS);
  const either = signal ? AbortSignal.any([signal, within]) : within;
  const failed = new Error('a step failed');
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => reject(new Error(`it took more than ${STARTED_WITHIN_MS / 1000} s`));
    either.addEventListener('abort', onAbort, { once: true });
    child.once('error', reject);
    status.once('data', () => resolve()).on('error', reject);
    exited.then(() => reject(failed)).catch(reject);
    if (either.aborted) onAbort();
  });
}

/** A second QEMU would write the same disk, and the first be forgotten. */
async function assertNotRunning(directory: string): Promise<void> {
  const record = await readRecord(directory);
  if (record === undefined || record.ended || !(await processIs(record.identity))) return;
  throw new LaunchError(`the machine runs already, as process ${record.identity.pid}`);
}

/** Ends everything that was started: it is one process group, in its own session. */
function endAll(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

const unknown = (): Ended => ({ kind: 'unknown' });
