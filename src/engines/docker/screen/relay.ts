import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { within } from '../../../lib/async/deadline.js';
import { deferred } from '../../../lib/async/deferred.js';
import { execStream } from '../machine/exec-stream.js';
import { NotListening } from './socket.js';

/** Connects standard input and output to the screen's socket, with Python's standard library. */
const RELAY = `
import os, socket, threading
s = socket.socket(socket.AF_UNIX)
s.connect('/run/vc/rfb.sock')
def up():
    while data := os.read(0, 65536):
        s.sendall(data)
    os._exit(0)
threading.Thread(target=up, daemon=True).start()
while data := s.recv(65536):
    while data:
        data = data[os.write(1, data):]
`;

/** Time limit for the server's greeting, in milliseconds. */
const FIRST_BYTE_MS = 5_000;

/**
 * Connects to the screen of a machine on a remote Engine, through a program in the container.
 * Resolves when the server has sent its greeting. Throws {@link NotListening} if it does not listen.
 */
export async function relayScreen(
  docker: Docker,
  container: string,
  signal?: AbortSignal,
): Promise<Duplex> {
  const stream = await execStream(docker, container, ['python3', '-c', RELAY], signal);
  try {
    await firstByte(stream, signal);
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

async function firstByte(stream: Duplex, signal: AbortSignal | undefined): Promise<void> {
  const first = deferred<void>();
  const ended = () => new NotListening('the relay ended');
  const onEnd = () => first.reject(ended());
  const onReadable = () => (stream.readableLength > 0 ? first.resolve() : onEnd());
  stream.on('readable', onReadable).on('error', first.reject).on('close', onEnd);
  try {
    await within(first.promise, { ms: FIRST_BYTE_MS, onTimeout: ended, signal });
  } finally {
    stream.off('readable', onReadable).off('error', first.reject).off('close', onEnd);
  }
}
