import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { dialSocketFile } from '../../socket-file.js';

export { NotListening } from '../../socket-file.js';

/** Of a machine's sockets in its container. */
export const SOCKET_DIRECTORY = ['run', 'vc'] as const;

/** The name of the screen's. */
export const SCREEN_SOCKET = 'rfb.sock';

/** Connects to a socket in a machine's directory, which the guest controls. */
export function dialSocket(directory: string, name: string, signal?: AbortSignal): Promise<Duplex> {
  const what = name === SCREEN_SOCKET ? "The computer's screen" : "The computer's program";
  return dialSocketFile(join(directory, name), what, signal);
}
