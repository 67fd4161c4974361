import type { ChildProcess } from 'node:child_process';
import { within } from '../../../lib/async/deadline.js';
import { type ProcessIdentity, processIs } from '../../../lib/process/identity.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { waitForExit } from './exit.js';
import { firstLogLines, lastLogLines } from './log.js';
import { type ProcessExit, readProcessRecord } from './process-record.js';
import { type SpawnRequest, type Supervisor, spawnSupervisor } from './spawn-supervisor.js';

const STARTED_WITHIN_MS = 15_000;

export interface SpawnedProcess {
  readonly identity: ProcessIdentity;
  /** Never rejects. Once it resolves, no process that was started for the machine is left. */
  readonly exited: Promise<ProcessExit>;
  /** The last lines of this run's log, as one line. */
  lastLogLines(): Promise<string>;
}

/** The process could not be spawned; the message holds the first lines of the log. */
class SpawnError extends Error {
  override readonly name = 'SpawnError';
}

/**
 * Spawns a machine's QEMU as an OS process that outlives the service.
 *
 * Resolves just before the supervisor executes QEMU: a missing program or wrong arguments show in
 * `exited`. Rejects with {@link SpawnError} if an earlier step fails, or with the signal's reason;
 * then no process is left.
 */
export async function spawnProcess(request: SpawnRequest): Promise<SpawnedProcess> {
  const { directory, signal } = request;
  signal?.throwIfAborted();
  await assertNotRunning(directory);
  const supervisor = await spawnSupervisor(request);
  const { child, status, logStart } = supervisor;
  const supervisorExited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve());
  });
  try {
    await untilStarted(supervisor, supervisorExited, signal);
    const identity = (await readProcessRecord(directory))?.identity;
    if (identity === undefined) throw new Error('the process was not recorded');
    const exited = supervisorExited.then(() => waitForExit(directory, identity)).catch(unknown);
    return { identity, exited, lastLogLines: () => lastLogLines(directory, logStart) };
  } catch (cause) {
    killGroup(child);
    await supervisorExited;
    signal?.throwIfAborted();
    // Later lines are mostly consequences of the first error.
    const lines = await firstLogLines(directory, logStart);
    throw new SpawnError(`the machine could not be started, ${errorMessage(cause)}: ${lines}`, {
      cause,
    });
  } finally {
    status.destroy();
    child.unref();
  }
}

/** Resolves when the supervisor reports that it executes QEMU next. */
async function untilStarted(
  { child, status }: Supervisor,
  supervisorExited: Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const failed = new Error('a step failed');
  const started = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    status.once('data', () => resolve()).on('error', reject);
    supervisorExited.then(() => reject(failed)).catch(reject);
  });
  const onTimeout = () => new Error(`it took more than ${STARTED_WITHIN_MS / 1000} s`);
  await within(started, { ms: STARTED_WITHIN_MS, onTimeout, signal });
}

/** Two QEMUs would write to the same disk, and the service would lose track of the first. */
async function assertNotRunning(directory: string): Promise<void> {
  const record = await readProcessRecord(directory);
  if (record === undefined || record.exited || !(await processIs(record.identity))) return;
  throw new SpawnError(`the machine is already running, as process ${record.identity.pid}`);
}

/** Kills the supervisor and everything it started: they are one process group. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has exited.
  }
}

const unknown = (): ProcessExit => ({ kind: 'unknown' });
