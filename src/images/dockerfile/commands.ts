import { ApiError } from '../../contract/errors.js';
import { CappedOutput } from '../../lib/streams/capped-output.js';
import { ownerCommand } from './guest.js';
import type { BuildMachine } from './machine.js';

/** Most bytes of a helper command's output. */
const MOST_OUTPUT = 1024 * 1024;

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface ScriptResult {
  readonly code: number;
  readonly stdout: string;
  /** The first line. */
  readonly problem: string;
}

/** Runs a program of the builder's own as root at `/`: its paths are relative to that. */
export async function runOwn(
  machine: BuildMachine,
  argv: readonly string[],
  {
    input,
    signal,
  }: { input?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>; signal?: AbortSignal } = {},
): Promise<ScriptResult> {
  const output = { stdout: new CappedOutput(MOST_OUTPUT), stderr: new CappedOutput(MOST_OUTPUT) };
  const code = await machine.run(argv, {
    user: '',
    env: { PATH },
    cwd: '/',
    ...(input && { input }),
    onOutput: (chunk, stream) => output[stream].write(chunk),
    signal,
  });
  const problem = output.stderr.text().trim().split('\n')[0] ?? '';
  return { code, stdout: output.stdout.text(), problem };
}

/** Like {@link runOwn} for a script of `sh`. Throws ApiError `guest_failed` unless it succeeds. */
export async function runScript(
  machine: BuildMachine,
  script: string,
  args: readonly string[],
  options: { input?: Iterable<Uint8Array>; signal?: AbortSignal } = {},
): Promise<string> {
  const result = await runOwn(machine, ['/bin/sh', '-c', script, 'sh', ...args], options);
  if (result.code === 0) return result.stdout;
  const detail = result.problem || `exit code ${result.code}`;
  throw new ApiError('guest_failed', `The machine of the build failed: ${detail}.`);
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The ids of `NAME[:GROUP]` in a machine. Throws an Error without a place if there are none. */
export async function findOwner(
  machine: BuildMachine,
  owner: string,
  signal?: AbortSignal,
): Promise<Owner> {
  const { code, stdout, problem } = await runOwn(machine, ownerCommand(owner), { signal });
  const [, uid, gid] = /^(\d{1,10}) (\d{1,10})$/.exec(stdout.trim()) ?? [];
  if (code !== 0 || uid === undefined) throw new Error(problem || `there is no user ${owner}`);
  return { uid: Number(uid), gid: Number(gid) };
}
