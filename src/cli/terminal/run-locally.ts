import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { processExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';

/**
 * Runs a program of this machine with the streams of vc; Ctrl-C is for the program. Resolves to its
 * exit code, and rejects with the system's error if it cannot be started.
 */
export async function runLocally(
  { cwd, env, interrupts, io }: Context,
  argv: readonly string[],
): Promise<number> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { cwd, env, stdio: 'inherit' });
  const release = interrupts.capture((signal) => {
    // The terminal has sent Ctrl-C to both.
    if (signal !== 'SIGINT' || !io.stdin.isTTY) child.kill(signal);
  });
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return processExitCode({ code, signal });
  } finally {
    release();
  }
}
