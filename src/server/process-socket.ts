import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { PROCESS_PATHS, ProcessControl, ProcessStart, StreamId } from '../contract/process.js';
import type { Fleet } from '../fleet/fleet.js';
import { Queue } from '../fleet/queue.js';
import type { ShellProcess } from '../shell/types.js';
import { Inbox } from './inbox.js';
import { addComputerSocket, type ComputerSocket, forward, parseJson, sendJson } from './sockets.js';
import { validate } from './validation.js';

/** The first message has to come within this many milliseconds. */
const START_WITHIN_MS = 10_000;
/** Signals that may wait to be delivered. */
const MOST_SIGNALS = 16;

/** `GET C/process`: a process in the computer with its streams, as contract/process.ts describes. */
export function addProcessSocket(app: FastifyInstance, fleet: Fleet): void {
  addComputerSocket(app, fleet, PROCESS_PATHS, { name: 'process', serve: serveProcess });
}

async function serveProcess(connection: ComputerSocket): Promise<void> {
  const { socket, fleet, record, left } = connection;
  const inbox = new Inbox(socket);
  const start = validate(ProcessStart, parseJson(await inbox.first(START_WITHIN_MS)), 'body');
  await fleet.control.shell(
    record,
    async (shell) => {
      const child = await shell.spawn(start, left);
      connection.opened({ command: start.argv.join(' ') });
      await attach(socket, inbox, child, left);
    },
    left,
  );
}

/** Connects the socket with the process until it has ended and its output has been sent. */
async function attach(
  socket: WebSocket,
  inbox: Inbox,
  child: ShellProcess,
  left: AbortSignal,
): Promise<void> {
  const onLeft = () => void child.kill('KILL').catch(() => undefined);
  if (left.aborted) onLeft();
  left.addEventListener('abort', onLeft, { once: true });
  child.stdin.on('error', () => undefined);
  child.stdin.once('close', () => socket.resume());
  const signals = new Queue();
  inbox.deliver((data, isBinary) => {
    if (!isBinary) return control(child, signals, parseJson(data.toString()));
    if (data[0] !== StreamId.stdin || child.stdin.destroyed) return;
    if (!child.stdin.write(data.subarray(1))) {
      socket.pause();
      child.stdin.once('drain', () => socket.resume());
    }
  });
  await Promise.all([
    forward(socket, child.stdout, (chunk) => Buffer.concat([Buffer.of(StreamId.stdout), chunk])),
    forward(socket, child.stderr, (chunk) => Buffer.concat([Buffer.of(StreamId.stderr), chunk])),
  ]);
  const { code, signal } = await child.exit;
  left.removeEventListener('abort', onLeft);
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
