import type { Readable } from 'node:stream';
import type { ComputerAddress } from '../../client/http/address.js';
import { type NodeProcess, openNodeProcess } from '../../client/node/process.js';
import type { ProcessSettings } from '../../client/process.js';
import type { ProcessExit } from '../../client/sockets/process-connection.js';
import { CappedOutput } from '../../lib/streams/capped-output.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode, processExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { flag, list, value } from '../framework/define.js';
import { write } from '../framework/io.js';
import { timeLimit } from '../input/duration.js';
import { assignment, nonEmpty } from '../input/parse.js';
import { printJson } from '../output/print.js';
import { forwardInput, forwardOutputs, interruptible } from '../terminal/process-io.js';
import { safeText } from '../terminal/safe-output.js';
import { computerAddress } from './computer-address.js';

/** Options of the process's surroundings. */
export const environmentOptions = {
  cwd: value('--cwd <directory>', 'working directory', nonEmpty),
  env: list('-e, --env <name=value>', 'environment variable; repeatable', assignment),
};

/** For output of a computer that is not trusted with the terminal. */
export const safeOption = flag('--safe', 'on a terminal, replace control characters of the output');

/** Options of commands that run a program with its streams attached. */
export const processOptions = {
  ...environmentOptions,
  timeout: value('--timeout <duration>', 'end the program after this time', timeLimit, {
    otherwise: 'no limit',
  }),
  stdin: flag('-n, --no-stdin', 'do not forward stdin'),
  safe: safeOption,
};

/** Help texts that the commands share. */
export const EXIT_CODES =
  'or 128 plus the number of the signal that ended it, 124 at the time limit, and 125 if vc itself fails';

/** For help, where long commands are expected. */
export const IN_BACKGROUND =
  'A job in the background of a shell (&) gets no stdin; for a command that keeps running without vc: vc bash --background.';

export interface Attached
  extends Pick<ProcessSettings, 'argv' | 'command' | 'code' | 'cwd' | 'timeout'> {
  readonly env: readonly (readonly [string, string])[];
  readonly stdin: boolean;
  readonly safe: boolean;
}

/** Runs a program in the computer, connected to this process's streams; resolves to its exit code. */
export async function runAttached(
  context: Context,
  computer: string,
  { stdin, safe, env, ...request }: Attached,
): Promise<number> {
  const address = await computerAddress(context, computer);
  const remote = await openProcess(context, address, { ...request, env });
  if (stdin) forwardInput(context.io.stdin, remote);
  else remote.stdin.end();
  const printed = context.globals.json
    ? printDocument(context, remote)
    : printOutputs(context, remote, { safe });
  const exit = await interruptible(context, remote, printed);
  if (exit.timedOut) throw timedOut(request);
  return processExitCode(exit);
}

/** Starts a program in a computer. */
export async function openProcess(
  context: Context,
  address: ComputerAddress,
  { env, ...request }: Omit<Attached, 'stdin' | 'safe'>,
): Promise<NodeProcess> {
  return openNodeProcess(await context.client(), address, {
    ...request,
    env: env.length > 0 ? Object.fromEntries(env) : undefined,
    signal: context.interrupts.signal,
  });
}

export function timedOut({ timeout }: Pick<Attached, 'timeout'>): CliError {
  return new CliError(`the program was still running after ${timeout} s and was ended`, {
    remedy: 'increase --timeout',
    code: 'timeout',
    exitCode: ExitCode.timedOut,
  });
}

async function printOutputs(
  context: Context,
  remote: NodeProcess,
  { safe }: Pick<Attached, 'safe'>,
): Promise<ProcessExit> {
  const exit = await forwardOutputs(context, remote, { safe });
  const { error, errorType = '' } = exit;
  // What these two say is in the exit code.
  const isSilent = errorType === 'SystemExit' || (errorType === 'KeyboardInterrupt' && exit.signal);
  if (error !== undefined && !isSilent) {
    const { stderr } = context.io;
    const text = `${error.trimEnd()}\n`;
    await write(stderr, safe && stderr.isTTY ? safeText(text) : text);
  }
  return exit;
}

/** Kept of each kind of output in a JSON document, which is in memory as a whole. */
const MOST_BYTES = 64 * 1024 * 1024;

async function printDocument(context: Context, remote: NodeProcess): Promise<ProcessExit> {
  const { document, exit } = await documentOf(remote);
  await printJson(context, document);
  return exit;
}

/** What a program prints until its end, which is one of `computers` that are read at the same time. */
export async function documentOf(remote: NodeProcess, computers = 1) {
  const most = Math.ceil(MOST_BYTES / computers);
  const [out, err, exit] = await Promise.all([
    collect(remote.stdout, most),
    collect(remote.stderr, most),
    remote.exited,
  ]);
  const { code, signal, timedOut, error, errorType } = exit;
  const [stdout, stderr] = [out.text(), err.text()];
  const document = {
    success: code === 0 && !timedOut,
    output: stdout + stderr,
    stdout,
    stderr,
    exit_code: code,
    signal: signal === null ? null : signal.replace(/^SIG/, ''),
    timed_out: timedOut,
    truncated: out.truncated || err.truncated,
    ...(error === undefined ? {} : { error, error_type: errorType }),
  };
  return { document, exit };
}

async function collect(stream: Readable, most: number): Promise<CappedOutput> {
  const output = new CappedOutput(most);
  for await (const chunk of stream) output.write(chunk);
  return output;
}
