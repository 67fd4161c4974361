import type { Socket } from 'node:net';
import { join } from 'node:path';
import { dialSocketFile } from '../../socket-file.js';
import { RELAY_SOCKET } from '../network/addresses.js';

/** Connects to a socket in a machine's directory; throws `NotListening` while nobody is there. */
export function connectSocket(
  directory: string,
  name: string,
  signal?: AbortSignal,
): Promise<Socket> {
  return dialSocketFile(join(directory, name), `The computer's ${name}`, signal);
}

/** Connects to the guest's port that the machine was launched with a relay for. */
export function dialGuestPort(directory: string, signal?: AbortSignal): Promise<Socket> {
  return connectSocket(directory, RELAY_SOCKET, signal);
}
