import type { Socket } from 'node:net';
import { join } from 'node:path';
import { dialSocketFile } from '../socket-file.js';
import { RELAY_SOCKET } from './network/addresses.js';

/** Connects to a socket in a machine's directory. Throws `NotListening` if nothing listens on it. */
export function connectSocket(
  directory: string,
  name: string,
  signal?: AbortSignal,
): Promise<Socket> {
  return dialSocketFile(join(directory, name), `The computer's ${name}`, signal);
}

/** Connects to the guest's `relayPort` (see SpawnRequest). */
export function dialGuestPort(directory: string, signal?: AbortSignal): Promise<Socket> {
  return connectSocket(directory, RELAY_SOCKET, signal);
}
