import { ClientMessage as Type } from '../screen/rfb/constants.js';
import type { Region } from '../screen/types.js';

/** A viewer's messages that the service handles (RFB 7.5). */
export type ClientMessage =
  | { readonly kind: 'version'; readonly text: string }
  | { readonly kind: 'byte'; readonly value: number }
  | { readonly kind: 'format'; readonly format: Buffer }
  | { readonly kind: 'encodings'; readonly encodings: readonly number[] }
  | { readonly kind: 'request'; readonly incremental: boolean; readonly region: Region }
  /** Copied by the viewer; Latin-1 only. */
  | { readonly kind: 'cutText'; readonly text: string }
  | { readonly kind: 'key'; readonly press: boolean; readonly keysym: number }
  | { readonly kind: 'pointer'; readonly x: number; readonly y: number; readonly buttons: number };

/** A viewer violated the protocol; the message is for its user. */
export class ViewerError extends Error {
  override readonly name = 'ViewerError';
}

const ENABLE_CONTINUOUS = 150;
const SET_DESKTOP_SIZE = 251;
const MOST_ENCODINGS = 256;
const MOST_CUT_TEXT = 1 << 20;
/** Longer ones are dropped: an incomplete message is copied with each chunk. */
const MOST_TAKEN_TEXT = 1 << 16;
const MOST_FENCE = 64;

/** Lengths of the handshake's messages: version, security type, ClientInit. */
const OPENING = [12, 1, 1] as const;

/**
 * Parses a viewer's messages. Buffers at most one incomplete message of bounded length and skips
 * irrelevant ones. Throws ViewerError for anything else.
 */
export class ClientReader {
  #buffer: Buffer = Buffer.alloc(0);
  #skip = 0;
  #opened = 0;

  /** Yields the complete messages in order. */
  *read(chunk: Buffer): Generator<ClientMessage> {
    let data = chunk;
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, data.length);
      this.#skip -= skipped;
      data = data.subarray(skipped);
    }
    this.#buffer = this.#buffer.length === 0 ? data : Buffer.concat([this.#buffer, data]);
    for (;;) {
      const before = this.#buffer;
      const message = this.#opened < OPENING.length ? this.#opening() : this.#message();
      if (message !== undefined) yield message;
      else if (this.#buffer === before) break;
    }
    // Copied, because a view would keep a large chunk alive.
    this.#buffer = Buffer.from(this.#buffer);
  }

  #opening(): ClientMessage | undefined {
    const part = this.#take(OPENING[this.#opened] ?? 1);
    if (part === undefined) return undefined;
    this.#opened += 1;
    if (part.length > 1) return { kind: 'version', text: part.toString('latin1') };
    return { kind: 'byte', value: part.readUInt8() };
  }

  /** The next message; undefined if it is incomplete or was skipped. */
  #message(): ClientMessage | undefined {
    switch (this.#buffer[0]) {
      case undefined:
        return undefined;
      case Type.setPixelFormat: {
        const message = this.#take(20);
        return message && { kind: 'format', format: message.subarray(4) };
      }
      case Type.setEncodings:
        return this.#encodings();
      case Type.framebufferUpdateRequest: {
        const message = this.#take(10);
        return message && updateRequest(message);
      }
      case Type.keyEvent: {
        const message = this.#take(8);
        const press = message?.[1] !== 0;
        return message && { kind: 'key', press, keysym: message.readUInt32BE(4) };
      }
      case Type.pointerEvent: {
        const message = this.#take(6);
        return message && pointerEvent(message);
      }
      case Type.cutText: {
        const length = this.#buffer.length < 8 ? 0 : this.#buffer.readInt32BE(4);
        // A negative one is that of the Extended Clipboard encoding, which no viewer was offered.
        if (length < 0 || length > MOST_TAKEN_TEXT) break;
        const message = this.#take(8 + length);
        return message && { kind: 'cutText', text: message.toString('latin1', 8) };
      }
    }
    this.#drop();
    return undefined;
  }

  #encodings(): ClientMessage | undefined {
    if (this.#buffer.length < 4) return undefined;
    const count = this.#buffer.readUInt16BE(2);
    if (count > MOST_ENCODINGS) throw new ViewerError(`the viewer announced ${count} encodings`);
    const message = this.#take(4 + 4 * count);
    if (message === undefined) return undefined;
    const encodings = Array.from({ length: count }, (_, i) => message.readInt32BE(4 + 4 * i));
    return { kind: 'encodings', encodings };
  }

  /** Skips a message that the service does not handle. */
  #drop(): void {
    const head = this.#buffer;
    switch (head[0]) {
      case Type.cutText: {
        if (head.length < 8) return;
        const length = Math.abs(head.readInt32BE(4));
        if (length > MOST_CUT_TEXT) throw new ViewerError('the viewer sent too large a clipboard');
        this.#discard(8 + length);
        break;
      }
      case Type.fence: {
        if (head.length < 9) return;
        const length = head.readUInt8(8);
        if (length > MOST_FENCE) throw new ViewerError('the viewer sent a fence that is too long');
        this.#discard(9 + length);
        break;
      }
      case ENABLE_CONTINUOUS:
        this.#discard(10);
        break;
      case SET_DESKTOP_SIZE:
        if (head.length < 8) return;
        this.#discard(8 + 16 * head.readUInt8(6));
        break;
      case Type.qemu:
        this.#discard(12);
        break;
      default:
        throw new ViewerError(`the viewer sent a message of unknown type ${head[0]}`);
    }
  }

  #discard(length: number): void {
    const here = Math.min(length, this.#buffer.length);
    this.#skip = length - here;
    this.#buffer = this.#buffer.subarray(here);
  }

  #take(length: number): Buffer | undefined {
    if (this.#buffer.length < length) return undefined;
    const part = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return part;
  }
}

function updateRequest(message: Buffer): ClientMessage {
  return {
    kind: 'request',
    incremental: message[1] !== 0,
    region: {
      x: message.readUInt16BE(2),
      y: message.readUInt16BE(4),
      width: message.readUInt16BE(6),
      height: message.readUInt16BE(8),
    },
  };
}

function pointerEvent(message: Buffer): ClientMessage {
  return {
    kind: 'pointer',
    buttons: message.readUInt8(1),
    x: message.readUInt16BE(2),
    y: message.readUInt16BE(4),
  };
}
