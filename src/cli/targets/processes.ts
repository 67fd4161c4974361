import type { Readable } from 'node:stream';
import type { ComputerAddress } from '../../client/http/address.js';
import { type NodeProcess, openNodeProcess } from '../../client/node/process.js';
import type { ProcessSettings } from '../../client/process.js';
import type { ProcessExit } from '../../client/sockets/process-connection.js';
import { CappedOutput } from '../../lib/streams/capped-output.js';
import { count } from '../../lib/text/count.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { ExitCode, processExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { flag, list, value } from '../framework/define.js';
import { type Output, write } from '../framework/io.js';
import { timeLimit } from '../input/duration.js';
import { labelSelector } from '../input/labels.js';
import { assignment, nonEmpty } from '../input/parse.js';
import { printJson } from '../output/print.js';
import { forwardInput, forwardOutputs, interruptible } from '../terminal/process-io.js';
import { safeText } from '../terminal/safe-output.js';
import { computerAddress } from './computer-address.js';
import { forEach } from './for-each.js';
import { allComputers, noComputers } from './lookup/all-computers.js';

/** Options of the process's surroundings. */
export const environmentOptions = {
  cwd: value('--cwd <directory>', 'working directory', nonEmpty),
  env: list('-e, --env <name=value>', 'environment variable; repeatable', assignment),
};

/** For output of a computer that is not trusted with the terminal. */
export const safeOption = flag('--safe', 'on a terminal, replace control characters of the output');

/** Selects several computers for a program. */
export const programLabel = {
  ...labelSelector,
  summary: 'run it in all running computers with this label, without stdin; repeatable',
};

/**
 * The computer of a command that runs a program, and the words after it. With labels there is no
 * computer, and what was parsed as one is the first of the words.
 */
export function programTarget(
  computer: string | undefined,
  words: readonly string[],
  label: readonly string[],
): { readonly computer: string; readonly words: readonly string[] } {
  if (label.length > 0) {
    return { computer: '', words: computer === undefined ? words : [computer, ...words] };
  }
  if (computer === undefined) throw new UsageError("missing required argument 'computer'");
  return { computer, words };
}

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

async function openProcess(
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

/**
 * Runs a program in each of the running computers with the labels, and prints its output under the
 * computer's name. Resolves to the first exit code that is not 0, in the order of the list.
 */
export async function runOnEach(
  context: Context,
  label: readonly string[],
  { stdin: _, safe, ...request }: Attached,
): Promise<number> {
  const computers = await allComputers(context, ['running', 'starting'], label);
  if (computers.length === 0) return noComputers(context, 'running computers', label);
  const ids = new Map(computers.map((one) => [`${one.project_name}/${one.name}`, one.id]));
  const { stdout, stderr } = context.io;
  const print = (to: Output, text: string) => write(to, safe && to.isTTY ? safeText(text) : text);
  return forEach(context, {
    names: [...ids.keys()],
    asList: true,
    doing: `Running in ${count(ids.size, 'computer')}`,
    work: async (name) => {
      const remote = await openProcess(context, { id: ids.get(name) ?? name }, request);
      remote.stdin.end();
      const { document, exit } = await documentOf(remote);
      if (exit.timedOut) throw timedOut(request);
      return { ...document, code: processExitCode(exit) };
    },
    did: (name) => name,
    show: async (name, { stdout: output, stderr: errors }) => {
      const lines = output === '' || output.endsWith('\n') ? output : `${output}\n`;
      // At once: others print too.
      await print(stdout, `==> ${name} <==\n${lines}`);
      await print(stderr, errors);
    },
    exitCode: ({ code }) => code,
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

/** Kept of each output in a JSON document, which is in memory as a whole. */
const MOST_BYTES = 64 * 1024 * 1024;

async function printDocument(context: Context, remote: NodeProcess): Promise<ProcessExit> {
  const { document, exit } = await documentOf(remote);
  await printJson(context, document);
  return exit;
}

async function documentOf(remote: NodeProcess) {
  const [out, err, exit] = await Promise.all([
    collect(remote.stdout),
    collect(remote.stderr),
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

async function collect(stream: Readable): Promise<CappedOutput> {
  const output = new CappedOutput(MOST_BYTES);
  for await (const chunk of stream) output.write(chunk);
  return output;
}
