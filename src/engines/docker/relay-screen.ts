import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { NotListening } from './dial-screen.js';
import { execStream } from './exec-stream.js';

/** Standard input and output to the screen's socket and back, with Python's own library. */
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

/**
 * The screen of a machine whose directory this machine cannot see (a remote Engine), through a
 * program in the container. Resolves when the server, which speaks first, has spoken. Throws
 * {@link NotListening} when it is not there yet.
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

function firstByte(stream: Duplex, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      stream.off('readable', onReadable).off('error', settle).off('close', onEnd);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onEnd = () => settle(new NotListening('the relay ended'));
    const onReadable = () => (stream.readableLength > 0 ? settle() : onEnd());
    const onAbort = () => settle(signal?.reason);
    const timer = setTimeout(onEnd, 5_000);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    stream.on('readable', onReadable).on('error', settle).on('close', onEnd);
  });
}
