import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { ApiError } from '../contract/errors.js';
import {
  PROCESS_PATHS,
  ProcessControl,
  type ProcessEvent,
  ProcessStart,
  StreamId,
} from '../contract/process.js';
import type { Fleet } from '../fleet/fleet.js';
import { Queue } from '../fleet/queue.js';
import type { ComputerRecord } from '../fleet/store/records.js';
import type { ShellProcess } from '../shell/types.js';
import { computerOf, ownerOf, type Params } from './requests.js';
import { validate } from './validation.js';

/** The first message has to come within this many milliseconds. */
const START_WITHIN_MS = 10_000;
/** Output is held back while so many bytes wait to be sent to a slow client. */
const HIGH_WATER = 1024 * 1024;
/** A client that does not answer a ping within this many milliseconds is gone. */
const BEAT_MS = 30_000;
/** Signals that may wait to be delivered. */
const MOST_SIGNALS = 16;

/** `GET C/process`: a process in the computer with its streams, as contract/process.ts describes. */
export function addProcessSocket(app: FastifyInstance, fleet: Fleet): void {
  for (const url of PROCESS_PATHS) {
    app.get(
      url,
      {
        websocket: true,
        schema: { hide: true },
        // The computer is looked up before the upgrade, so that a wrong one is an ordinary 404.
        preValidation: async (request) => {
          computerOf(fleet, ownerOf(request), request.params as Params);
        },
      },
      (socket, request) => {
        const record = computerOf(fleet, ownerOf(request), request.params as Params);
        serveProcess(socket, fleet, record).catch((error: unknown) => {
          request.log.warn({ err: error }, 'process socket failed');
          socket.terminate();
        });
      },
    );
  }
}

async function serveProcess(
  socket: WebSocket,
  fleet: Fleet,
  record: ComputerRecord,
): Promise<void> {
  const left = new AbortController();
  socket.on('close', () => left.abort(new ApiError('request_timeout', 'The client went away.')));
  socket.on('error', () => left.abort(new ApiError('request_timeout', 'The client went away.')));
  dropWhenGone(socket);
  const inbox = new Inbox(socket);
  try {
    const start = validate(ProcessStart, parseJson(await inbox.first(START_WITHIN_MS)), 'body');
    await fleet.control.shell(
      record,
      async (shell) => {
        const child = await shell.spawn(start, left.signal);
        await attach(socket, inbox, child, left.signal);
      },
      left.signal,
    );
  } catch (error) {
    if (left.signal.aborted) return;
    send(socket, describe(error));
  }
  socket.close(1000);
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
    forward(socket, child.stdout, StreamId.stdout),
    forward(socket, child.stderr, StreamId.stderr),
  ]);
  const { code, signal } = await child.exit;
  left.removeEventListener('abort', onLeft);
  send(socket, { type: 'exit', code, signal });
}

async function forward(
  socket: WebSocket,
  stream: AsyncIterable<Buffer>,
  id: StreamId,
): Promise<void> {
  for await (const chunk of stream) {
    if (socket.readyState !== socket.OPEN) return;
    const message = Buffer.concat([Buffer.of(id), chunk]);
    const sent = new Promise<void>((resolve) => socket.send(message, () => resolve()));
    if (socket.bufferedAmount > HIGH_WATER) await sent;
  }
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

/** Ends the socket of a client whose machine or network went away without a word. */
function dropWhenGone(socket: WebSocket): void {
  let alive = true;
  socket.on('pong', () => {
    alive = true;
  });
  const beat = setInterval(() => {
    // What we do not read, for the guest is slow, holds back its pongs, too.
    if (!alive && !socket.isPaused) socket.terminate();
    alive = false;
    socket.ping();
  }, BEAT_MS);
  socket.on('close', () => clearInterval(beat));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError('invalid_request', 'The message is not valid JSON.', { cause });
  }
}

function send(socket: WebSocket, event: ProcessEvent): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
}

function describe(error: unknown): ProcessEvent {
  if (error instanceof ApiError) return { type: 'error', code: error.code, error: error.message };
  return { type: 'error', code: 'internal', error: 'The service failed; its log has more.' };
}

/** Messages of a socket: the first is waited for, later ones are kept until somebody takes them. */
class Inbox {
  readonly #socket: WebSocket;
  readonly #waiting: [Buffer, boolean][] = [];
  #take: ((data: Buffer, isBinary: boolean) => void) | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      try {
        if (this.#take) this.#take(data, isBinary);
        else this.#waiting.push([data, isBinary]);
      } catch {
        socket.close(1007);
      }
      // Nothing takes the messages yet: the client has to wait until the process is there.
      if (!this.#take && this.#waiting.length > 16) socket.pause();
    });
  }

  first(withinMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = () =>
        reject(new ApiError('request_timeout', 'The first message did not come in time.'));
      const timer = setTimeout(fail, withinMs);
      const take = ([data, isBinary]: [Buffer, boolean]) => {
        clearTimeout(timer);
        this.#take = undefined;
        if (isBinary) reject(new ApiError('invalid_request', 'The first message must be JSON.'));
        else resolve(data.toString());
      };
      const waiting = this.#waiting.shift();
      if (waiting) take(waiting);
      else this.#take = (data, isBinary) => take([data, isBinary]);
      this.#socket.once('close', () => {
        clearTimeout(timer);
        fail();
      });
    });
  }

  deliver(take: (data: Buffer, isBinary: boolean) => void): void {
    this.#take = take;
    for (const [data, isBinary] of this.#waiting.splice(0)) take(data, isBinary);
    this.#socket.resume();
  }
}
