import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { machineCommand } from './command.js';
import { ENVIRONMENT } from './environment.js';
import { kvmGroup, tunForAll } from './host.js';
import type { LaunchRequest } from './launch.js';
import { openLog } from './log.js';
import { openOwn } from './own-file.js';
import { beginRecord } from './record.js';
import { PIPES, RESOLVER_FILE } from './supervisor.js';

/** What was started, before QEMU is there. */
export interface Spawned {
  readonly child: ChildProcess;
  /** The scripts say `started` on it. */
  readonly status: Duplex;
  /** Where this run's part of the log begins. */
  readonly logStart: number;
}

const MOST_INHERITED = 2;

/** Begins a machine's record and log, and starts the scripts around its QEMU. */
export async function spawnMachine(request: LaunchRequest): Promise<Spawned> {
  const { directory, account, inherit = [] } = request;
  if (inherit.length > MOST_INHERITED) throw new RangeError('more descriptors than QEMU can get');
  const files: FileHandle[] = [];
  const open = async (opening: Promise<FileHandle>) => {
    const file = await opening;
    files.push(file);
    return file.fd;
  };
  try {
    await Promise.all(PIPES.map((name) => rm(join(directory, name), { force: true })));
    if (request.network.mode === 'filtered') await writeResolver(directory);
    const record = await open(beginRecord(directory, account));
    const log = await openLog(directory);
    files.push(log.file);
    const [program = '', ...args] = machineCommand({
      ...request,
      relayPort: request.relayPort,
      groups: await groupsOf(request),
      tun: (await tunForAll()) ? 'as it is' : 'private',
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

/** What QEMU reads as the host's name servers. */
async function writeResolver(directory: string): Promise<void> {
  const { O_WRONLY, O_TRUNC } = constants;
  const file = await openOwn(join(directory, 'resolv.conf'), O_WRONLY | O_TRUNC, 0o644);
  try {
    await file.writeFile(RESOLVER_FILE);
    await file.chmod(0o644);
  } finally {
    await file.close();
  }
}

async function groupsOf({ acceleration }: LaunchRequest): Promise<number[]> {
  const group = acceleration === 'kvm' ? await kvmGroup() : undefined;
  return group === undefined ? [] : [group];
}
