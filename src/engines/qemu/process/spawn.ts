import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { within } from '../../../lib/async/deadline.js';
import { type ProcessIdentity, processIs } from '../../../lib/process/identity.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import type { MachineNetwork } from '../network/plan.js';
import type { Account } from './account.js';
import { ENVIRONMENT, machineCommand } from './command.js';
import { isTunWorldAccessible, kvmGroup } from './devices.js';
import { firstLogLines, lastLogLines, openLog } from './log.js';
import { openOwnFile } from './own-file.js';
import {
  createProcessRecord,
  type ProcessExit,
  readProcessRecord,
  waitForExit,
} from './process-record.js';
import { LEFTOVERS, RESOLVER_FILE } from './supervisor-script.js';
import type { ServedVolumes } from './volume-server.js';

const STARTED_WITHIN_MS = 15_000;

export interface SpawnRequest {
  /** The machine's directory, absolute and prepared; QEMU's working directory. */
  readonly directory: string;
  readonly account: Account;
  readonly program: string;
  readonly args: readonly string[];
  /** A descriptor that QEMU inherits as 3. The caller closes its own. */
  readonly inherit?: number;
  readonly network: MachineNetwork;
  readonly acceleration: 'kvm' | 'tcg';
  /** The guest's port that `ssh.sock` in the directory connects to, by QEMU's port forwarding. */
  readonly relayPort?: number;
  /** Served at `volumes.sock` in the directory. */
  readonly volumes?: ServedVolumes | undefined;
  readonly signal?: AbortSignal;
}

export interface SpawnedProcess {
  readonly identity: ProcessIdentity;
  /** Never rejects. Once it resolves, no process that was started for the machine is left. */
  readonly exited: Promise<ProcessExit>;
  /** The last lines of this run's log, as one line. */
  lastLogLines(): Promise<string>;
}

/** The scripts that set up a machine's namespaces, execute QEMU and record its exit. */
interface Supervisor {
  readonly child: ChildProcess;
  /** The supervisor writes `started` to it just before it executes QEMU. */
  readonly status: Duplex;
  /** Byte offset of this run in the log. */
  readonly logStart: number;
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
    const exited: Promise<ProcessExit> = supervisorExited
      .then(() => waitForExit(directory, identity))
      .catch(() => ({ kind: 'unknown' }));
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

/** Creates the machine's process record and opens its log, then spawns the supervisor. */
async function spawnSupervisor(request: SpawnRequest): Promise<Supervisor> {
  const { directory, account, inherit = 'ignore' } = request;
  const files: FileHandle[] = [];
  const open = async (opening: Promise<FileHandle>) => {
    const file = await opening;
    files.push(file);
    return file.fd;
  };
  try {
    await Promise.all(LEFTOVERS.map((name) => rm(join(directory, name), { force: true })));
    if (request.network.mode === 'filtered') await writeResolver(directory);
    const record = await open(createProcessRecord(directory, account));
    const log = await openLog(directory);
    files.push(log.file);
    const [program = '', ...args] = machineCommand({
      ...request,
      relayPort: request.relayPort,
      groups: await groupsOf(request),
      tun: (await isTunWorldAccessible()) ? 'host' : 'private',
    });
    const child = spawn(program, args, {
      detached: true,
      cwd: directory,
      env: ENVIRONMENT,
      stdio: [
        'ignore',
        log.file.fd,
        log.file.fd,
        inherit,
        'ignore',
        'ignore',
        'ignore',
        'ignore',
        'pipe',
        record,
      ],
    });
    const streams: readonly unknown[] = child.stdio;
    return { child, status: streams[8] as Duplex, logStart: log.start };
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

/** The resolv.conf that QEMU sees. */
async function writeResolver(directory: string): Promise<void> {
  const { O_WRONLY, O_TRUNC } = constants;
  const file = await openOwnFile(join(directory, 'resolv.conf'), O_WRONLY | O_TRUNC, 0o644);
  try {
    await file.writeFile(RESOLVER_FILE);
    await file.chmod(0o644);
  } finally {
    await file.close();
  }
}

async function groupsOf({ acceleration }: SpawnRequest): Promise<number[]> {
  const group = acceleration === 'kvm' ? await kvmGroup() : undefined;
  return group === undefined ? [] : [group];
}
