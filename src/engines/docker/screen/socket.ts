import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { dialSocketFile } from '../../socket-file.js';

export { NotListening } from '../../socket-file.js';

/** Of a machine's sockets in its container. */
export const SOCKET_DIRECTORY = ['run', 'vc'] as const;

/** Connects to the screen's socket in a machine's directory, which the guest controls. */
export function dialScreen(directory: string, signal?: AbortSignal): Promise<Duplex> {
  return dialSocketFile(join(directory, 'rfb.sock'), "The computer's screen", signal);
}
