import { routes } from '../contract/routes.js';
import type { ProcessControl, ProcessStart } from '../contract/types/index.js';
import type { Client } from './client.js';
import { buildPath, type ComputerAddress, computerParameters } from './http/address.js';
import type { Outlet } from './sockets/message-socket.js';
import { OutputStream } from './sockets/output-stream.js';
import { ProcessConnection, type ProcessExit } from './sockets/process-connection.js';

type WireSignal = Extract<ProcessControl, { type: 'signal' }>['signal'];

/** A signal for a process: `TERM` or `SIGTERM`, and so on. */
export type ProcessSignal = WireSignal | `SIG${WireSignal}`;

const SIGNALS = ['INT', 'TERM', 'HUP', 'KILL', 'QUIT'] as const satisfies readonly WireSignal[];

/** The message that sends a signal. Throws a TypeError for a name that is not one of these. */
export function signalMessage(name: ProcessSignal): ProcessControl {
  const signal = SIGNALS.find((one) => name === one || name === `SIG${one}`);
  if (signal === undefined) {
    throw new TypeError(`unknown signal ${String(name)}: use one of ${SIGNALS.join(', ')}`);
  }
  return { type: 'signal', signal };
}

export interface ProcessSettings extends ProcessStart {
  /** Aborting ends the process group and closes the streams. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the process has to be connected; `timeout` limits the process itself. */
  readonly timeoutMs?: number | undefined;
}

type Program = Pick<ProcessStart, 'argv' | 'command' | 'code'>;
type Without<Keys extends string> = { readonly [Key in Keys]?: undefined };

/** What to start: exactly one of `argv`, `command` and `code`, and how. */
export type ProcessRequest = Omit<ProcessSettings, keyof Program> &
  {
    [One in keyof Program]-?: Record<One, NonNullable<Program[One]>> &
      Without<Exclude<keyof Program, One>>;
  }[keyof Program];

/** A process in a computer, without its streams. */
export interface ProcessHandle {
  /** Settles after the last byte of output has been delivered. */
  readonly exited: Promise<ProcessExit>;
  /** Sends a signal to the process group; throws a TypeError for an unknown name. */
  kill(signal: ProcessSignal): void;
  resize(size: { columns: number; rows: number }): void;
  /** Disconnects; the service then ends the process group. `exited` rejects with an AbortError. */
  close(): void;
  /** Closes it, unless it has exited. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A process in a computer, with its streams. Reading slowly slows the process down. An output that
 * nobody reads is kept up to 16 MiB; beyond that it has to be read (or cancelled) for the process
 * to end. `run()` of the computer reads both.
 */
export interface RemoteProcess extends ProcessHandle {
  readonly stdin: WritableStream<Uint8Array | string>;
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly stderr: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Connects a process with two outlets for its output. */
export function connectProcess(
  client: Client,
  address: ComputerAddress,
  { signal: given, timeoutMs, ...start }: ProcessSettings,
  outlets: { readonly stdout: Outlet; readonly stderr: Outlet },
): Promise<ProcessConnection> {
  const path = buildPath(routes.process.paths, computerParameters(address));
  return client.socket(path, { signal: given, timeoutMs }, async (socket, signal) => {
    socket.send(JSON.stringify(start));
    return new ProcessConnection(socket, { ...outlets, signal, baseUrl: client.baseUrl });
  });
}

/** Starts a process in a computer and connects its streams. */
export async function openProcess(
  client: Client,
  address: ComputerAddress,
  request: ProcessSettings,
): Promise<RemoteProcess> {
  const stdout = new OutputStream(() => connection?.wanted(stdout));
  const stderr = new OutputStream(() => connection?.wanted(stderr));
  let connection: ProcessConnection | undefined;
  const connected = await connectProcess(client, address, request, { stdout, stderr });
  connection = connected;
  return {
    stdin: inputOf(connected),
    stdout: stdout.stream,
    stderr: stderr.stream,
    exited: connected.exited,
    kill: (name) => connected.control(signalMessage(name)),
    resize: ({ columns, rows }) => connected.control({ type: 'resize', columns, rows }),
    close: () => connected.close(),
    async [Symbol.asyncDispose]() {
      connected.close();
      await connected.exited.catch(() => undefined);
    },
  };
}

function inputOf(connection: ProcessConnection): RemoteProcess['stdin'] {
  const encoder = new TextEncoder();
  return new WritableStream<Uint8Array | string>({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
        connection.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => connection.endInput(),
    abort: () => connection.endInput(),
  });
}
