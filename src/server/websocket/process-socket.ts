import type { FastifyInstance } from 'fastify';
import { PROCESS_PATHS } from '../../contract/routes.js';
import { ProcessControl, ProcessStart, StreamId } from '../../contract/sockets/process.js';
import { onAbort } from '../../lib/async/abort.js';
import { Queue } from '../../lib/async/queue.js';
import type { ShellProcess } from '../../shell/types.js';
import { validate } from '../http/validation.js';
import {
  addComputerSocket,
  type ComputerSocket,
  forward,
  PAYLOAD_LIMIT,
  parseJson,
  type SocketServices,
  sendJson,
} from './computer-socket.js';
import { MessageBuffer } from './message-buffer.js';

/** The first message has to come within this many milliseconds. */
const START_WITHIN_MS = 10_000;
/** Signals that may wait to be delivered. */
const MOST_SIGNALS = 16;

/** `GET C/process`: a process in the computer with its streams, as contract/sockets/process.ts describes. */
export function addProcessSocket(app: FastifyInstance, services: SocketServices): void {
  addComputerSocket(app, services, PROCESS_PATHS, {
    name: 'process',
    firstMessage: PAYLOAD_LIMIT,
    serve: serveProcess,
  });
}

async function serveProcess(connection: ComputerSocket): Promise<void> {
  const { fleet, record, left } = connection;
  const messages = new MessageBuffer(connection.socket, connection.hold);
  const start = validate(ProcessStart, parseJson(await messages.first(START_WITHIN_MS)), 'body');
  await fleet.actions.shell(
    record,
    async (shell) => {
      const child = await shell.spawn(start, left);
      connection.opened({ command: start.argv.join(' ') });
      await attach(connection, messages, child);
    },
    left,
  );
}

/** Connects the socket with the process until it has ended and its output has been sent. */
async function attach(
  { socket, hold, left }: ComputerSocket,
  messages: MessageBuffer,
  child: ShellProcess,
): Promise<void> {
  const dispose = onAbort(left, () => void child.kill('KILL').catch(() => undefined));
  child.stdin.on('error', () => undefined);
  child.stdin.once('close', () => socket.resume());
  const signals = new Queue();
  messages.deliver((data, isBinary) => {
    if (!isBinary) return control(child, signals, parseJson(data.toString()));
    if (data[0] !== StreamId.stdin || child.stdin.destroyed) return;
    if (child.stdin.write(data.subarray(1))) return;
    hold(data.length);
    socket.pause();
    child.stdin.once('drain', () => {
      hold(-data.length);
      socket.resume();
    });
  });
  await Promise.all([
    forward(socket, child.stdout, (chunk) => Buffer.concat([Buffer.of(StreamId.stdout), chunk])),
    forward(socket, child.stderr, (chunk) => Buffer.concat([Buffer.of(StreamId.stderr), chunk])),
  ]);
  const { code, signal } = await child.exit;
  dispose();
  sendJson(socket, { type: 'exit', code, signal });
}

function control(child: ShellProcess, signals: Queue, message: unknown): void {
  const parsed = ProcessControl.safeParse(message);
  if (!parsed.success) return;
  if (parsed.data.type === 'stdin_end') child.stdin.end();
  else if (parsed.data.type === 'resize') child.resize(parsed.data);
  else {
    const { signal } = parsed.data;
    if (signals.length < MOST_SIGNALS) signals.run(() => child.kill(signal)).catch(() => undefined);
  }
}
