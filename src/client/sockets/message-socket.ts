/** A WebSocket of the platform. It is paused at first, so that no message is missed. */
export interface MessageSocket {
  readonly isOpen: boolean;
  readonly isPaused: boolean;
  /** `sent` is called when the message has left for the network, so a slow service slows the writer. */
  send(message: string | Uint8Array, sent?: (error?: Error | null) => void): void;
  /** Sets what is called with each message, and when the connection has ended. */
  listen(on: SocketListener): void;
  pause(): void;
  resume(): void;
  /** Closes it with a handshake. */
  close(): void;
  /** Closes it at once. */
  terminate(): void;
}

export interface SocketListener {
  message(message: string | Uint8Array): void;
  closed(): void;
}

/** Where bytes of a socket go. */
export interface Outlet {
  /** False if no more should follow until the reader wants it. */
  push(bytes: Uint8Array): boolean;
  end(): void;
}

/** Bytes in one message; the service takes at most 256 KiB. */
const PIECE = 64 * 1024;

/**
 * Sends bytes as messages that each start with `prefix`. `done` is called when the last of them has
 * left for the network.
 */
export function sendBytes(
  socket: MessageSocket,
  bytes: Uint8Array,
  prefix: readonly number[],
  done: (error?: Error | null) => void,
): void {
  for (let at = 0; at < bytes.length; at += PIECE) {
    const part = bytes.subarray(at, at + PIECE);
    const piece = new Uint8Array(prefix.length + part.length);
    piece.set(prefix);
    piece.set(part, prefix.length);
    const isLast = at + PIECE >= bytes.length;
    socket.send(piece, (error) => {
      if (isLast) done(error ?? null);
    });
  }
  if (bytes.length === 0) done();
}
