import { constants, open as openFile } from 'node:fs';
import { type FileHandle, lchown, lstat, readFile, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { execa } from 'execa';
import { sleep } from '../../../../lib/async/sleep.js';
import { unlessMissing } from '../../disk/files.js';
import { FILES } from '../../layout.js';
import type { QemuProcess, Workspace } from '../../machine/qemu-process.js';

/** Limit for the state of the devices, which takes some hundred kilobytes. */
const MAX_BYTES = 64 << 20;
const HELD_WITHIN_MS = 30_000;
const SAVED_WITHIN_MS = 120_000;
const POLL_MS = 1;
const MAX_PATH = 64;

/** Linux's number of the system call `openat`, by Node.js's names of architectures. */
const OPENAT: Readonly<Partial<Record<NodeJS.Architecture, number>>> = { x64: 257, arm64: 56 };

/** Why {@link saveDevices} cannot work on this host; undefined if it can. */
export async function deviceStateProblem(pid: number): Promise<string | undefined> {
  if (OPENAT[process.arch] === undefined) return `unknown architecture ${process.arch}`;
  const call = await readFile(`/proc/${pid}/syscall`, 'utf8').catch(() => undefined);
  return call === undefined ? `/proc/${pid}/syscall cannot be read` : undefined;
}

/** Creates the pipe that QEMU writes the state to, which belongs to the service. */
export async function createDevicePipe({ directory, account }: Workspace): Promise<void> {
  const path = join(directory, FILES.devices);
  await rm(path, { force: true });
  await execa('mkfifo', ['-m', '0620', '--', path]);
  // Not of a link's target: QEMU can replace the pipe.
  if (account.kind === 'machine') await lchown(path, 0, account.gid);
}

/**
 * Saves the state of a paused machine's devices, without its memory. Runs `whileHeld` first, during
 * which QEMU changes nothing, the memory included. A pause of the guest alone is not enough: QEMU
 * would still pass on what arrives for the guest's serial ports.
 *
 * QEMU is held in its call to open the pipe, which returns when the other end is opened.
 * {@link releasingDevices} does so if this service is killed meanwhile.
 */
export async function saveDevices(
  qemu: QemuProcess,
  memory: FileHandle,
  whileHeld: () => Promise<void>,
): Promise<Buffer> {
  const saving = qemu.execute(
    'xen-save-devices-state',
    { filename: FILES.devices, live: false },
    { timeoutMs: SAVED_WITHIN_MS },
  );
  const settled = new AbortController();
  saving.then(
    () => settled.abort(),
    () => settled.abort(),
  );
  try {
    await untilHeld(qemu.identity.pid, memory, settled.signal);
    await whileHeld();
  } catch (error) {
    const pipe = await openPipe(qemu.workspace.directory);
    pipe?.resume();
    // The error of QEMU, if it has one.
    await saving.finally(() => pipe?.destroy());
    throw error;
  }
  const pipe = await openPipe(qemu.workspace.directory);
  if (pipe === undefined) throw new Error('the pipe for the state is gone');
  try {
    const [state] = await Promise.all([readAll(pipe), saving]);
    return state;
  } finally {
    pipe.destroy();
  }
}

/**
 * Releases a QEMU that an earlier service holds, and discards its state, while `work` runs. The
 * pipe is removed once `work` has resolved: until QEMU answers, it may be about to open the pipe.
 */
export async function releasingDevices<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const pipe = await openPipe(directory);
  if (pipe === undefined) return work();
  pipe.resume();
  try {
    const result = await work();
    await rm(join(directory, FILES.devices), { force: true });
    return result;
  } finally {
    pipe.destroy();
  }
}

/** Resolves when QEMU's main thread, which has the lock of the machine, waits in its call to open. */
async function untilHeld(pid: number, memory: FileHandle, saved: AbortSignal): Promise<void> {
  const expected = `${FILES.devices}\0`;
  for (const end = performance.now() + HELD_WITHIN_MS; performance.now() < end; ) {
    if (saved.aborted) throw new Error('QEMU did not wait while it saved its devices');
    const [call, , path] = (await readFile(`/proc/${pid}/syscall`, 'utf8')).split(' ');
    if (Number(call) === OPENAT[process.arch] && path !== undefined) {
      const { buffer } = await memory.read(Buffer.alloc(MAX_PATH), 0, MAX_PATH, Number(path));
      if (buffer.toString('latin1').startsWith(expected)) return;
    }
    await sleep(POLL_MS);
  }
  throw new Error('QEMU did not save its devices in time');
}

/**
 * Undefined if there is no such pipe, or something else that QEMU has created. Emits `end` when QEMU
 * has closed its end.
 */
async function openPipe(directory: string): Promise<Socket | undefined> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const path = join(directory, FILES.devices);
  const found = await unlessMissing(lstat(path));
  if (!found?.isFIFO() || found.uid !== process.getuid?.()) return undefined;
  // Not a FileHandle: the socket closes the descriptor.
  const fd = await promisify(openFile)(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  return new Socket({ fd, readable: true, writable: false }).on('error', () => undefined);
}

async function readAll(pipe: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of pipe as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('QEMU saves too much state of its devices');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
