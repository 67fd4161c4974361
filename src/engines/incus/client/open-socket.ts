import type { WebSocket } from 'ws';
import { onAbort } from '../../../lib/async/abort.js';
import { unreachable } from '../errors.js';

/**
 * Resolves when the WebSocket is open. It is paused, so that no message is lost before the caller has
 * added a listener and resumes it. The caller closes it.
 */
export function openSocket(socket: WebSocket, signal: AbortSignal | undefined): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const dispose = onAbort(signal, (reason) => {
      reject(reason);
      socket.terminate();
    });
    socket.once('open', () => {
      dispose();
      socket.pause();
      resolve(socket);
    });
    // Stays, because an error without a listener would end the process.
    socket.on('error', (error) => {
      dispose();
      reject(unreachable(error));
    });
  });
}
