import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type Docker from 'dockerode';
import { errorMessage } from '../../../lib/text/error-message.js';
import { isRemote, QUICK_MS } from '../client.js';
import type { HelperRunner } from '../helper.js';
import { inspectContainer } from '../requests.js';
import {
  type ContainerProcess,
  openInContainer,
  openProcess,
  within,
} from '../screen/container-files.js';

/** Sees the machine's processes. The Engine mounts both files in the container. */
const IN_HELPER = `
set -e
nsenter --target 1 --uts hostname "$2"
cd /proc/1/root/etc
hosts=$(sed "/^127\\./!s/\\t\\($1\\|computer\\)$/\\t$2/" hosts)
printf '%s\\n' "$hosts" >hosts
printf '%s\\n' "$2" >hostname
`;
/** Writes the name of the namespace that the program itself is in. */
const IN_NAMESPACE = 'printf %s "$0" >/proc/sys/kernel/hostname';
/** Larger files are not ours. */
const MAX_BYTES = 65_536;

/** What programs print where the Engine's host forbids it. */
const FORBIDDEN =
  /not permitted|permission denied|must be root|read-only file system|not implemented|not supported/i;

/** The Engine does not let the service change host names: another attempt does not help. */
export class HostNameRefused extends Error {
  constructor(output: string) {
    super(`the engine does not let the service change host names: ${output}`);
  }
}

export interface HostNamesOptions {
  readonly docker: Docker;
  readonly helper: HelperRunner;
  onProblem(message: string): void;
}

/**
 * Gives running machines other host names than their containers were created with, which the Engine
 * cannot: those of the warm pool, and of computers that were renamed. The Engine sets the name that
 * it was created with at each start.
 */
export class HostNames {
  readonly #options: HostNamesOptions;
  readonly #wanted = new Map<string, string>();

  constructor(options: HostNamesOptions) {
    this.#options = options;
  }

  /** From the next start on. */
  set(id: string, hostName: string): void {
    this.#wanted.set(id, hostName);
  }

  forget(id: string): void {
    this.#wanted.delete(id);
  }

  /**
   * Like {@link change}, but reports a failure: the machine then keeps the name that it was created
   * with.
   */
  async apply(id: string, container: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.change(id, container, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const reason = errorMessage(error);
      this.#options.onProblem(`The host name of ${id} cannot be set: ${reason}`);
    }
  }

  /**
   * Does nothing if the running machine has its name. Throws {@link HostNameRefused}, and other errors,
   * for example while the Engine is away.
   */
  async change(id: string, container: string, signal?: AbortSignal): Promise<void> {
    const wanted = this.#wanted.get(id);
    if (wanted === undefined) return;
    const { docker, helper } = this.#options;
    const { Config, State } = await inspectContainer(docker, container, signal);
    const created = Config.Hostname;
    if (created === wanted || !State.Running) return;
    const main = { pid: State.Pid, container };
    if (!isRemote(docker) && (await setDirectly(main, created, wanted, signal))) return;
    const { code, output } = await helper.run(
      {
        command: ['sh', '-c', IN_HELPER, 'sh', created, wanted],
        capabilities: ['SYS_ADMIN', 'SYS_PTRACE'],
        network: 'none',
        processesOf: container,
      },
      signal,
    );
    if (code === 0) return;
    const reason = output.trim().slice(0, 200) || `exit code ${code}`;
    throw FORBIDDEN.test(output) ? new HostNameRefused(reason) : new Error(reason);
  }
}

/** As root on the Engine's host; false where that is not possible. */
async function setDirectly(
  main: ContainerProcess,
  created: string,
  wanted: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const proc = await openProcess(main);
  if (proc === undefined) return false;
  try {
    const [opened, renamed] = await Promise.allSettled([
      openInContainer(main, ['etc']),
      rename(proc, wanted, signal),
    ]);
    if (opened.status === 'rejected') throw opened.reason;
    const etc = opened.value;
    if (etc === undefined) return false;
    try {
      if (renamed.status === 'rejected') throw renamed.reason;
      await edit(within(etc, 'hosts'), (text) => withName(text, created, wanted));
      await edit(within(etc, 'hostname'), () => `${wanted}\n`);
    } finally {
      await etc.close();
    }
    return true;
  } catch {
    signal?.throwIfAborted();
    return false;
  } finally {
    await proc.close();
  }
}

/** The file `hosts` with another name; a computer may have had the name of a loopback address. */
export function withName(hosts: string, created: string, wanted: string): string {
  // Podman adds the name of the container.
  const lines = new RegExp(`^(?!127\\.)(.*\\t)(?:${created}|computer)(?= vc-|$)`, 'gm');
  return hosts.replaceAll(lines, (_, address: string) => `${address}${wanted}`);
}

/** Writes the name in the namespace of a process. */
async function rename(
  proc: FileHandle,
  hostName: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const argv = ['--uts=/proc/self/fd/3/ns/uts', 'sh', '-c', IN_NAMESPACE, hostName];
  const child = spawn('nsenter', argv, {
    stdio: ['ignore', 'ignore', 'ignore', proc.fd],
    timeout: QUICK_MS,
    ...(signal && { signal }),
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`nsenter has exited with code ${code}`);
}

const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Changes a file in place, because the Engine mounts it. A guest may have put anything there, and
 * may make it longer meanwhile.
 */
export async function edit(path: string, change: (text: string) => string): Promise<void> {
  const file = await open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return;
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > MAX_BYTES) return;
    const changed = Buffer.from(change(buffer.toString('utf8', 0, bytesRead)));
    await file.write(changed, 0, changed.length, 0);
    await file.truncate(changed.length);
  } finally {
    await file.close();
  }
}
