import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { eventually } from '../../support/eventually.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** A pipe of Linux holds 16 pages, of which small writes fill only a part. */
const PIPE_BYTES = 48 * 1024;

/** The command line compiled into a directory of its own, to run as a child process. */
export interface ChildProgram {
  readonly directory: string;
  /** Its arguments for `node`, before the words of the command line. */
  readonly entry: string;
  close(): void;
}

/** Without the modules of a service, which the commands of a client never load. */
export async function compileProgram(): Promise<ChildProgram> {
  const directory = mkdtempSync(join(tmpdir(), 'vc-program-'));
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  symlinkSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  await build({
    input: { entry: join(ROOT, 'src/cli/entry.ts') },
    platform: 'node',
    external: (id) => /^[a-z@]/.test(id) || /\/src\/(server|engines|fleet|mcp)\//.test(id),
    output: { dir: join(directory, 'cli'), format: 'esm', entryFileNames: '[name].mjs' },
    logLevel: 'silent',
  });
  return {
    directory,
    entry: join(directory, 'cli/entry.mjs'),
    close: () => rmSync(directory, { recursive: true }),
  };
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs `node ARGS` with a file descriptor as stdout, which is closed in this process. */
export async function runInto(
  args: readonly string[],
  stdout: number,
  { input = '', ...options }: SpawnOptions & { input?: string },
  whileRunning: (pid: number) => Promise<unknown> = async () => undefined,
): Promise<Omit<Ended, 'stdout'>> {
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', stdout, 'pipe'] });
  closeSync(stdout);
  child.stdin?.on('error', () => undefined).end(input);
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close');
  await whileRunning(child.pid ?? 0);
  const [code] = await ended;
  return { code, stderr };
}

/**
 * The same into a pipe whose reader starts when the pipe is full and the program waits, or has ended.
 */
export async function runIntoLateReader(
  args: readonly string[],
  directory: string,
  options: SpawnOptions & { input?: string },
): Promise<Ended> {
  const { reading, writing } = openPipe(directory);
  const chunks: Buffer[] = [];
  const ended = await runInto(args, writing, options, async (pid) => {
    await eventually(async () => isWaiting(pid), 60_000);
    const reader = new Socket({ fd: reading, readable: true, writable: false });
    for await (const chunk of reader) chunks.push(chunk);
  });
  return { ...ended, stdout: Buffer.concat(chunks) };
}

/** Both ends of a new pipe. */
export function openPipe(directory: string): {
  readonly reading: number;
  readonly writing: number;
} {
  const path = join(mkdtempSync(join(directory, 'pipe-')), 'pipe');
  execFileSync('mkfifo', [path]);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reading, writing: openSync(path, 'w') };
}

/** True if a process has written as much as a pipe may hold, and sleeps; or if it has ended. */
function isWaiting(pid: number): boolean {
  try {
    const written = /wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1];
    const state = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
    return state === 'Z' || (Number(written) >= PIPE_BYTES && state === 'S');
  } catch {
    return true;
  }
}
