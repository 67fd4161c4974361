import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { sleep } from '../../lib/async/sleep.js';
import { processExitCode } from '../errors/exit-codes.js';
import { StreamMask } from './mask.js';

/** Characters of an agent's output that are kept. */
const MOST_OUTPUT = 16 * 1024 * 1024;
/** How long an agent may take to end itself, in milliseconds. */
const GRACE_MS = 5_000;

interface Agent {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** File for its output. */
  readonly log: string;
  /** Values to mask in that. */
  readonly secrets: readonly string[];
  readonly seconds: number;
}

/**
 * Runs the command in a process group of its own, which ends with it, at its time limit, or with the
 * signal. Resolves to its exit code, or undefined if the time was over.
 */
export async function runAgent(agent: Agent, signal: AbortSignal): Promise<number | undefined> {
  const { command, cwd, env, log, secrets, seconds } = agent;
  const file = createWriteStream(log, { flags: 'a' });
  await once(file, 'open');
  const broken = new Promise<never>((_, reject) => file.once('error', reject));
  let left = MOST_OUTPUT;
  const write = (text: string) => {
    if (left > 0) file.write(text.length < left ? text : `${text.slice(0, left)}\n(truncated)\n`);
    left -= text.length;
    return !file.writableNeedDrain;
  };
  const child = spawn('bash', ['-c', command], {
    ...{ cwd, env, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const masks = [child.stdout, child.stderr].map((stream) => {
    const mask = new StreamMask(secrets);
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => {
      if (write(mask.push(decoder.write(chunk)))) return;
      stream.pause();
      file.once('drain', () => stream.resume());
    });
    return mask;
  });
  const time = AbortSignal.timeout(seconds * 1000);
  try {
    const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
    const stopped = untilAborted(AbortSignal.any([signal, time]));
    const exit = await Promise.race([exited, stopped, broken]);
    if (exit !== undefined) {
      // What it has printed is read, unless a process that it left holds the pipe.
      await Promise.race([once(child, 'close'), sleep(500)]);
      return processExitCode({ code: exit[0], signal: exit[1] });
    }
    kill(child, 'SIGTERM');
    await Promise.race([exited, sleep(GRACE_MS)]);
    return undefined;
  } finally {
    kill(child, 'SIGKILL');
    child.stdout.destroy();
    child.stderr.destroy();
    for (const mask of masks) write(mask.end());
    file.end();
    if (!file.closed) await once(file, 'close');
  }
}

async function untilAborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Signals all processes of the agent's group. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // They have ended.
  }
}
