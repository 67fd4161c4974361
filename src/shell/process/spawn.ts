import type { ClientChannel, PseudoTtyOptions } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import { onAbort } from '../../lib/async/abort.js';
import { within } from '../../lib/async/deadline.js';
import type { Connection } from '../connection.js';
import { newMarker, pythonInput, START_PYTHON } from '../python/driver.js';
import { PythonReport } from '../python/report.js';
import type { ProcessEnd, ShellProcess, SpawnInput } from '../types.js';
import { endProcessGroup, signalProcessGroup, terminate } from './command.js';
import { Exit } from './exit.js';
import { HeaderReader } from './header.js';
import { ProcessInput, ProcessOutput } from './process-streams.js';
import { processId } from './run.js';
import { foreground, fromFirstBytes, program, replaceShell } from './scripts.js';

const START_MS = 10_000;

/**
 * Starts a program. Resolves when it runs or is about to: a missing program ends with exit code
 * 127 and bash's message on stderr. An abort ends its process group.
 */
export async function spawn(
  connection: Connection,
  input: SpawnInput,
  signal?: AbortSignal,
): Promise<ShellProcess> {
  signal?.throwIfAborted();
  const { script, data = [], marker } = beginning(input);
  const bootstrap = fromFirstBytes(script.length);
  const terminal = input.terminal && pseudoTerminal(input.terminal);
  const channel = await connection.exec(bootstrap, { terminal });
  const exit = new Exit(connection, channel);
  const stdout = new ProcessOutput(channel, exit);
  const stderr = new ProcessOutput(channel.stderr, exit);
  const stdin = new ProcessInput(channel);
  const report =
    marker === undefined ? undefined : new PythonReport(marker, (chunk) => stderr.receive(chunk));
  const header = new HeaderReader((chunk) => stdout.receive(chunk));
  channel.on('data', (chunk: Buffer) => header.write(chunk));
  channel.stderr.on('data', (chunk: Buffer) =>
    report ? report.write(chunk) : stderr.receive(chunk),
  );
  const end = (error?: Error) => {
    stdin.destroy();
    report?.end();
    stdout.finish(error);
    stderr.finish(error);
  };
  exit.ended.then(() => end(), end);

  for (const bytes of [script, ...data]) channel.write(bytes);
  const pid = await started(header, exit, input.cwd, signal).catch((error) => {
    channel.close();
    end();
    throw error;
  });
  const dispose = onAbort(signal, () => {
    // `exit` reports a failure.
    terminate(connection, channel, String(pid), exit).catch(() => undefined);
  });
  exit.ended.finally(dispose).catch(() => undefined);
  const ended = exit.ended.then((status) => ({ ...status, ...(report && errorOf(report)) }));
  ended.catch(() => undefined);
  return {
    stdin,
    stdout,
    stderr,
    exit: ended,
    end: async () => void (await endProcessGroup(connection, pid)),
    resize: resizer(connection, channel),
    kill: (name) => kill(connection, channel, pid, name),
  };
}

interface Beginning {
  /** Bash's first input, see {@link fromFirstBytes}. */
  readonly script: Buffer;
  /** The part of stdin that the script reads before the user's input. */
  readonly data?: readonly Buffer[];
  /** Before the report of Python code. */
  readonly marker?: string;
}

function beginning(input: SpawnInput): Beginning {
  if ('argv' in input) {
    const text = program(input.argv, input, input.terminal ? 'terminal' : 'pipes');
    return { script: Buffer.from(text) };
  }
  if ('command' in input) {
    return { script: Buffer.from(foreground(input.command, { ...input, interpreter: 'system' })) };
  }
  const marker = newMarker();
  const script = Buffer.from(replaceShell(START_PYTHON, input));
  return { script, data: [pythonInput(input.code, marker)], marker };
}

function errorOf({ error }: PythonReport): Pick<ProcessEnd, 'error' | 'errorType'> {
  return error === undefined ? {} : { error: error.text, errorType: error.type };
}

/** Waits for the header and returns its process id, which is also the group's. */
async function started(
  header: HeaderReader,
  exit: Exit,
  cwd: string | undefined,
  signal: AbortSignal | undefined,
): Promise<number> {
  const onTimeout = () =>
    new ApiError('guest_timeout', 'The computer did not start the program in time.');
  const start = Promise.race([header.arrived, exit.ended]);
  await within(start, { ms: START_MS, onTimeout, signal });
  const result = { header: header.line, code: null, signal: null, timedOut: false };
  return processId(result, cwd, () => '') ?? 0;
}

async function kill(
  connection: Connection,
  channel: ClientChannel,
  pid: number,
  name: 'INT' | 'TERM' | 'HUP' | 'KILL' | 'QUIT',
): Promise<void> {
  if (await signalProcessGroup(connection, pid, name)) return;
  connection.signal(channel, name);
}

/**
 * Sends a size, and the latest of those that come before the guest has processed it: ssh2 queues
 * any number of them.
 */
function resizer(connection: Connection, channel: ClientChannel): ShellProcess['resize'] {
  let next: Parameters<ShellProcess['resize']>[0] | undefined;
  let isSending = false;
  const send = () => {
    isSending = next !== undefined;
    if (next === undefined) return;
    channel.setWindow(next.rows, next.columns, 0, 0);
    next = undefined;
    connection.roundTrip(send);
  };
  return (size) => {
    next = size;
    if (!isSending) send();
  };
}

/**
 * A terminal in raw mode, so that the script arrives unchanged and is not echoed; the script then
 * sets the usual modes. Modes: RFC 4254, section 8.
 */
function pseudoTerminal({ columns, rows }: { columns: number; rows: number }): PseudoTtyOptions {
  return {
    cols: columns,
    rows,
    term: 'xterm-256color',
    modes: { ECHO: 0, ICANON: 0, ISIG: 0, IEXTEN: 0, ICRNL: 0, IXON: 0, OPOST: 0 },
  };
}
