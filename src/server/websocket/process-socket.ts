import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { routes } from '../../contract/routes.js';
import {
  ProcessControl,
  type ProcessEvent,
  ProcessStart,
  StreamId,
} from '../../contract/sockets/process.js';
import { onAbort } from '../../lib/async/abort.js';
import { Queue } from '../../lib/async/queue.js';
import { shellWord } from '../../lib/text/shell-word.js';
import type { ShellProcess, SpawnInput } from '../../shell/types.js';
import { validateExactly } from '../http/input/read-input.js';
import {
  addComputerSocket,
  type ComputerSocket,
  forward,
  parseControl,
  parseJson,
  type SocketServices,
  sendJson,
  writeFrom,
} from './computer-socket.js';
import { Messages } from './messages.js';

/** The first message has to come within this many milliseconds. */
const START_WITHIN_MS = 10_000;
/** Seconds of a recorded command without a limit of its own. */
const MOST_BASH_SECONDS = 3600;
const MOST_EXEC_SECONDS = 300;
/** Signals that may wait to be delivered. */
const MOST_SIGNALS = 16;

/** `GET C/process`: a process in the computer with its streams, as contract/sockets/process.ts describes. */
export function addProcessSocket(app: FastifyInstance, services: SocketServices): void {
  addComputerSocket(app, services, routes.process.paths, {
    name: 'process',
    serve: serveProcess,
  });
}

async function serveProcess(connection: ComputerSocket): Promise<void> {
  const { fleet, record, left } = connection;
  const messages = new Messages(connection.socket);
  const first = await messages.first(START_WITHIN_MS);
  const start = validateExactly(ProcessStart, parseJson(first), 'body');
  describe(connection, start);
  const work = () =>
    fleet.actions.shell(
      record,
      async (shell) => {
        const limit = timeLimit(start.timeout);
        try {
          const signal = AbortSignal.any([left, limit.signal]);
          const child = await shell.spawn(spawnInput(start), signal);
          await attach(connection, messages, { child, start, limit: limit.signal });
        } finally {
          limit.clear();
        }
      },
      left,
    );
  // What is typed into a terminal is not recorded.
  if (start.terminal !== undefined) await work();
  else await fleet.actions.recorded(record, () => recordedProcess(start), work);
}

/** The operation that does the same without the streams. */
function recordedProcess({ argv = [], command, code, cwd, env, timeout }: ProcessStart) {
  if (code !== undefined) {
    const seconds = Math.min(Math.max(timeout ?? MOST_EXEC_SECONDS, 1), MOST_EXEC_SECONDS);
    return { action: 'exec', code, timeout: seconds } as const;
  }
  const line = command ?? argv.map(shellWord).join(' ');
  const place = { ...(cwd === undefined ? {} : { cwd }), ...(env === undefined ? {} : { env }) };
  const seconds = timeout ?? MOST_BASH_SECONDS;
  return { action: 'bash', command: line, timeout: seconds, background: false, ...place } as const;
}

/** Names the process in the audit log: scripts and code as the operations that run them, too. */
function describe(connection: ComputerSocket, start: ProcessStart): void {
  const { argv, command, code, timeout, terminal } = start;
  const detail = { timeout, ...(terminal === undefined ? {} : { terminal: true }) };
  if (command !== undefined) connection.describe('bash', { ...detail, command });
  else if (code !== undefined) connection.describe('exec', { ...detail, code });
  else connection.describe('process', { ...detail, command: argv?.join(' ') });
}

function spawnInput({ argv = [], command, code, ...environment }: ProcessStart): SpawnInput {
  if (command !== undefined) return { ...environment, command };
  return code === undefined ? { ...environment, argv } : { ...environment, code };
}

function timeLimit(seconds: number | undefined) {
  const late = new AbortController();
  const message = `The program did not start within ${seconds} s.`;
  const end = () => late.abort(new ApiError('guest_timeout', message));
  const timer = seconds === undefined ? undefined : setTimeout(end, seconds * 1000);
  return { signal: late.signal, clear: () => clearTimeout(timer) };
}

interface Running {
  readonly child: ShellProcess;
  readonly start: ProcessStart;
  /** Aborted at the process's time limit. */
  readonly limit: AbortSignal;
}

/** Connects the socket with the process until it has ended and its output has been sent. */
async function attach(
  { socket, left, exited, cancelled, refuse }: ComputerSocket,
  messages: Messages,
  { child, start, limit }: Running,
): Promise<void> {
  const dispose = onAbort(left, () => void child.kill('KILL').catch(() => undefined));
  child.stdin.on('error', () => undefined);
  child.stdin.once('close', () => socket.resume());
  const signals = new Queue();
  let isSignalled = false;
  const write = writeFrom(socket, child.stdin);
  messages.deliver((data, isBinary) => {
    if (!isBinary) {
      const message = ProcessControl.safeParse(parseControl(data));
      if (!message.success) return;
      isSignalled ||= message.data.type === 'signal';
      return control(child, signals, message.data);
    }
    if (data[0] !== StreamId.stdin || child.stdin.destroyed) return;
    write(data.subarray(1));
  }, refuse);
  await Promise.all([
    forward(socket, child.stdout, (chunk) => Buffer.concat([Buffer.of(StreamId.stdout), chunk])),
    forward(socket, child.stderr, (chunk) => Buffer.concat([Buffer.of(StreamId.stderr), chunk])),
  ]);
  const { code, signal, error, errorType } = await child.exit;
  dispose();
  // A shell in a terminal ends with the code of its last command.
  if (start.terminal === undefined) exited(code);
  if (isSignalled) {
    cancelled();
    if (start.argv === undefined) await child.end();
  }
  const event: ProcessEvent = {
    type: 'exit',
    code,
    signal,
    ...(limit.aborted ? { timed_out: true } : {}),
    ...(error === undefined ? {} : { error, error_type: errorType }),
  };
  sendJson(socket, event);
}

function control(child: ShellProcess, signals: Queue, message: ProcessControl): void {
  if (message.type === 'stdin_end') child.stdin.end();
  else if (message.type === 'resize') child.resize(message);
  else {
    const { signal } = message;
    if (signals.length < MOST_SIGNALS) signals.run(() => child.kill(signal)).catch(() => undefined);
  }
}
