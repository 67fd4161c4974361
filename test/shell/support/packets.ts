import type { Connection } from 'ssh2';

/** A text or bytes as SSH writes them: the length, then the bytes (RFC 4251, section 5). */
export function ssh(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

interface Internals {
  readonly _protocol: {
    _handlers: Record<string, unknown>;
    readonly _cipher: { encrypt(packet: Buffer): void };
    readonly _packetRW: {
      readonly write: {
        readonly allocStart: number;
        alloc(length: number): Buffer;
        finalize(packet: Buffer): Buffer;
      };
    };
  };
}

/** Sends a packet that ssh2's server would not send. */
export function sendPacket(connection: Connection, ...parts: readonly Buffer[]): void {
  const payload = Buffer.concat(parts);
  const { _cipher: cipher, _packetRW } = (connection as unknown as Internals)._protocol;
  const packet = _packetRW.write.alloc(payload.length);
  packet.set(payload, _packetRW.write.allocStart);
  cipher.encrypt(_packetRW.write.finalize(packet));
}

type Handler = (protocol: unknown, info: { readonly sender: number }) => void;

/** Handles a message in place of ssh2's server. */
export function onMessage(connection: Connection, name: string, handle: Handler): void {
  (connection as unknown as Internals)._protocol._handlers[name] = handle;
}

/** What ssh2's server does with a message. */
export function handlerOf(connection: Connection, name: string): Handler {
  return (connection as unknown as Internals)._protocol._handlers[name] as Handler;
}
