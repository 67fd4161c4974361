import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { MachineNetwork } from '../network/plan.js';
import type { Account } from './account.js';
import { ENVIRONMENT, machineCommand } from './command.js';
import { isTunWorldAccessible, kvmGroup } from './devices.js';
import { openLog } from './log.js';
import { openOwnFile } from './own-file.js';
import { createProcessRecord } from './process-record.js';

import { PIPES, RESOLVER_FILE } from './supervisor-script.js';

export interface SpawnRequest {
  /** The machine's directory, absolute and prepared; QEMU's working directory. */
  readonly directory: string;
  readonly account: Account;
  readonly program: string;
  readonly args: readonly string[];
  /** At most two descriptors that QEMU inherits as 3 and 4. The caller closes its own. */
  readonly inherit?: readonly number[];
  readonly network: MachineNetwork;
  readonly acceleration: 'kvm' | 'tcg';
  /** The guest's port that `ssh.sock` in the directory connects to, by QEMU's port forwarding. */
  readonly relayPort?: number;
  readonly signal?: AbortSignal;
}

/** The scripts that set up a machine's namespaces, execute QEMU and record its exit. */
export interface Supervisor {
  readonly child: ChildProcess;
  /** The supervisor writes `started` to it just before it executes QEMU. */
  readonly status: Duplex;
  /** Byte offset of this run in the log. */
  readonly logStart: number;
}

const MAX_INHERITED = 2;

/** Creates the machine's process record and opens its log, then spawns the supervisor. */
export async function spawnSupervisor(request: SpawnRequest): Promise<Supervisor> {
  const { directory, account, inherit = [] } = request;
  if (inherit.length > MAX_INHERITED)
    throw new RangeError(`QEMU can inherit at most ${MAX_INHERITED} descriptors`);
  const files: FileHandle[] = [];
  const open = async (opening: Promise<FileHandle>) => {
    const file = await opening;
    files.push(file);
    return file.fd;
  };
  try {
    await Promise.all(PIPES.map((name) => rm(join(directory, name), { force: true })));
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
    const [third = 'ignore' as const, fourth = 'ignore' as const] = inherit;
    const child = spawn(program, args, {
      detached: true,
      cwd: directory,
      env: ENVIRONMENT,
      stdio: [
        ...(['ignore', log.file.fd, log.file.fd] as const),
        ...([third, fourth, 'ignore', 'ignore', 'ignore'] as const),
        ...(['pipe', record] as const),
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
