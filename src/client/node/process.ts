import { Readable, Writable } from 'node:stream';
import { routes } from '../../contract/routes.js';
import type { Client } from '../client.js';
import { buildPath, type ComputerAddress, computerParameters } from '../http/address.js';
import type { ProcessHandle, ProcessSettings } from '../process.js';
import { signalMessage } from '../process.js';
import type { Outlet } from '../sockets/message-socket.js';
import { ProcessConnection, UNREAD_BYTES } from '../sockets/process-connection.js';

/** A process in a computer with Node.js streams; see RemoteProcess. */
export interface NodeProcess extends ProcessHandle {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** Starts a process in a computer and connects its streams. */
export function openNodeProcess(
  client: Client,
  address: ComputerAddress,
  { signal: given, timeoutMs, ...start }: ProcessSettings,
): Promise<NodeProcess> {
  const path = buildPath(routes.process.paths, computerParameters(address));
  return client.socket(path, { signal: given, timeoutMs }, async (socket, signal) => {
    socket.send(JSON.stringify(start));
    const stdout = new Output(() => connection.wanted(stdout));
    const stderr = new Output(() => connection.wanted(stderr));
    const connection: ProcessConnection = new ProcessConnection(socket, {
      stdout,
      stderr,
      signal,
      baseUrl: client.baseUrl,
    });
    const stdin = new Writable({
      write: (chunk: Buffer, _, done) => connection.write(chunk, done),
      final(done) {
        connection.endInput();
        done();
      },
    });
    stdin.on('error', () => undefined);
    const end = () => void stdin.destroy();
    connection.exited.then(end, end);
    return {
      stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      exited: connection.exited,
      kill: (name) => connection.control(signalMessage(name)),
      resize: ({ columns, rows }) => connection.control({ type: 'resize', columns, rows }),
      close: () => connection.close(),
      async [Symbol.asyncDispose]() {
        connection.close();
        await connection.exited.catch(() => undefined);
      },
    };
  });
}

class Output implements Outlet {
  readonly stream: Readable;

  constructor(wanted: () => void) {
    this.stream = new Readable({ read: wanted });
  }

  push(bytes: Uint8Array): boolean {
    return this.stream.push(bytes) || this.#canKeep();
  }

  end(): void {
    this.stream.push(null);
  }

  /** True while a stream that nobody reads holds little, so that it does not stop the other one. */
  #canKeep(): boolean {
    const { readableFlowing, readableLength } = this.stream;
    const isUnread = readableFlowing === null && this.stream.listenerCount('readable') === 0;
    return isUnread && readableLength < UNREAD_BYTES;
  }
}
