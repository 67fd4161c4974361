import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Cluster } from '../../../src/engines/incus/client/cluster.js';
import { server, serverEnvironment } from './server.js';

const MEMBER = fileURLToPath(new URL('member.sh', import.meta.url));
const START_MS = 60_000;
/** Exit code of flock when another run of the tests holds the lock. */
const IN_USE = 75;

/** This host cannot run a server of LXD or Incus: it is not installed, or it does not start. */
export class NoServer extends Error {
  override readonly name = 'NoServer';
}

export interface MemberOptions {
  /** Its data; may be that of an earlier member. */
  readonly directory: string;
  /** With the length of the prefix. */
  readonly address: string;
  readonly gateway: string;
  /** Gives the network namespace of the process an interface `e0`. */
  connect(pid: number): void;
}

/** A running server of LXD or Incus. */
export interface TestMember {
  /** As its operator. */
  readonly operator: Cluster;
  /** A process in its network namespace. */
  readonly pid: number;
  /** Ends it with all of its containers, as a power failure does. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a server whose processes, mounts and network are in namespaces of their own. Throws
 * {@link NoServer} if that is not possible.
 */
export async function openMember(options: MemberOptions): Promise<TestMember> {
  const { directory } = options;
  refuseWithoutServer();
  mkdirSync(join(directory, server.name), { recursive: true, mode: 0o700 });
  const child = start(options);
  const socketPath = join(directory, server.name, 'unix.socket');
  const operator = new Cluster({ socketPath, project: 'default' });
  const kill = () => end(child);
  const close = async () => {
    await operator.close();
    await kill();
  };
  try {
    options.connect(await inNamespace(child, directory));
    await answering(operator, child, directory);
  } catch (error) {
    await close();
    throw error;
  }
  return { operator, pid: child.pid ?? 0, kill, close };
}

function refuseWithoutServer(): void {
  try {
    execFileSync(server.daemon, ['--version'], { stdio: 'ignore', env: serverEnvironment() });
  } catch (cause) {
    throw new NoServer(`${server.title} is not installed`, { cause });
  }
}

function start({ directory, address, gateway }: MemberOptions): ChildProcess {
  const log = openSync(join(directory, 'member.log'), 'w');
  const child = spawn(
    'flock',
    [
      // Two servers would destroy each other's data.
      ...['--nonblock', '--no-fork', '--conflict-exit-code', `${IN_USE}`, `${directory}.lock`],
      ...['setpriv', '--pdeathsig', 'KILL'],
      ...['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'],
      ...['sh', MEMBER, directory, address, gateway, server.name],
    ],
    { stdio: ['ignore', log, log], env: serverEnvironment() },
  );
  closeSync(log);
  return child;
}

/** Resolves with its id when the process has a network namespace of its own. */
async function inNamespace(child: ChildProcess, directory: string): Promise<number> {
  const own = readlinkSync('/proc/self/ns/net');
  for (const end = Date.now() + START_MS; ; await sleep(10)) {
    refuseEnded(child, directory);
    if (Date.now() > end) throw noServer(directory);
    const { pid = 0 } = child;
    const network = networkOf(pid);
    if (network !== undefined && network !== own) return pid;
  }
}

export function networkOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

async function answering(operator: Cluster, child: ChildProcess, directory: string): Promise<void> {
  for (const end = Date.now() + START_MS; ; await sleep(100)) {
    try {
      await operator.ask('/1.0', { ms: 2_000 });
      return;
    } catch (cause) {
      refuseEnded(child, directory);
      if (Date.now() > end) throw noServer(directory, cause);
    }
  }
}

function refuseEnded({ exitCode, signalCode }: ChildProcess, directory: string): void {
  if (exitCode === IN_USE) throw new Error('another run of the tests uses their cluster');
  if (exitCode !== null || signalCode !== null) throw noServer(directory);
}

function noServer(directory: string, cause?: unknown): NoServer {
  const log = readFileSync(join(directory, 'member.log'), 'utf8').trim().slice(-2_000);
  return new NoServer(`${server.title} does not start: ${log || 'it does not answer'}`, { cause });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Ends everything in its process namespace. It ignores other signals.
  child.kill('SIGKILL');
  await ended;
}

/** Removes the control groups of containers that no longer run. */
export function removeControlGroups(): void {
  execFileSync('sh', [
    '-c',
    'find /sys/fs/cgroup -mindepth 1 -depth -type d -path "*/lxc.*.vc_*" -exec rmdir {} + 2>/dev/null || true',
  ]);
}

export function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
