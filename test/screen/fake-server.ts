import { type Duplex, duplexPair } from 'node:stream';
import { deflateSync, inflateSync } from 'node:zlib';
import type { Region } from '../../src/screen/index.js';

export interface FakeOptions {
  readonly width?: number;
  readonly height?: number;
  /** Announced extensions: fences, clipboard, scan codes. */
  readonly can?: readonly ('fences' | 'clipboard' | 'scancodes')[];
  /** Bytes sent instead of the handshake; the test sends the rest. */
  readonly opening?: Buffer;
}

/** A message of the client, decoded as far as tests need. */
export type ClientMessage =
  | { readonly kind: 'key'; readonly down: boolean; readonly keysym: number }
  | { readonly kind: 'scancode'; readonly down: boolean; readonly scancode: number }
  | {
      readonly kind: 'pointer';
      readonly x: number;
      readonly y: number;
      readonly buttons: number;
    }
  | { readonly kind: 'update'; readonly what: 'whole' | 'changes'; readonly region: Region }
  | { readonly kind: 'clipboard'; readonly flags: number; readonly text: string }
  | { readonly kind: 'encodings' | 'format' | 'fence' };

const REQUEST = 2 ** 31;

/**
 * A small RFB server in the test process. One that announces scan codes collects requests
 * briefly, as QEMU does, and answers them with one update.
 */
export class FakeServer {
  readonly client: Duplex;
  readonly wire: Duplex;
  readonly received: ClientMessage[] = [];
  /** Whether to answer update requests; false simulates a frozen server. */
  answering = true;
  /** Called before a message of the client is handled. */
  onMessage: (received: ClientMessage) => void = () => {};
  readonly #options: FakeOptions;
  readonly #size: { width: number; height: number };
  #input = Buffer.alloc(0);
  #state: 'version' | 'security' | 'init' | 'ready' = 'version';
  readonly #pixels: Buffer;
  #dirty = true;
  /** Regions requested unconditionally; undefined without a request. */
  #wanted: Region[] | undefined;

  constructor(options: FakeOptions = {}) {
    this.#options = options;
    this.#size = { width: options.width ?? 64, height: options.height ?? 48 };
    this.#pixels = Buffer.alloc(this.#size.width * this.#size.height * 4);
    this.#fill(0x336699, this.#bounds);
    const [client, wire] = duplexPair();
    this.client = client;
    this.wire = wire;
    wire.on('error', () => {});
    wire.on('data', (chunk: Buffer) => {
      this.#input = Buffer.concat([this.#input, chunk]);
      while (this.#step());
    });
    this.send(options.opening ?? Buffer.from('RFB 003.008\n'));
  }

  send(bytes: Buffer): void {
    if (!this.wire.destroyed && this.wire.writable) this.wire.write(bytes);
  }

  /** Paints part of the screen, or all of it; sent on the client's next request. */
  paint(colour: number, region: Region = this.#bounds): void {
    this.#fill(colour, region);
    this.#dirty = true;
    this.#flush();
  }

  get #bounds(): Region {
    return { x: 0, y: 0, ...this.#size };
  }

  #fill(colour: number, region: Region): void {
    for (let y = region.y; y < region.y + region.height; y++) {
      for (let x = region.x; x < region.x + region.width; x++) {
        this.#pixels.writeUInt32BE(colour * 256, (y * this.#size.width + x) * 4);
      }
    }
  }

  #part(region: Region): Buffer {
    const rows: Buffer[] = [];
    for (let y = region.y; y < region.y + region.height; y++) {
      const start = (y * this.#size.width + region.x) * 4;
      rows.push(this.#pixels.subarray(start, start + region.width * 4));
    }
    return rectangle(region, 0, Buffer.concat(rows));
  }

  keys(): string[] {
    return this.received.flatMap((received) =>
      received.kind === 'key'
        ? [`${received.down ? '+' : '-'}${received.keysym.toString(16)}`]
        : [],
    );
  }

  pointers(): string[] {
    return this.received.flatMap((received) =>
      received.kind === 'pointer' ? [`${received.x},${received.y},${received.buttons}`] : [],
    );
  }

  #has(what: 'fences' | 'clipboard' | 'scancodes'): boolean {
    return (this.#options.can ?? ['fences', 'clipboard']).includes(what);
  }

  #flush(): void {
    if (!this.answering || this.#wanted === undefined) return;
    const regions = this.#dirty ? [this.#bounds] : this.#wanted;
    if (regions.length === 0) return;
    this.#wanted = undefined;
    this.#dirty = false;
    this.send(update(...regions.map((region) => this.#part(region))));
  }

  /** Handles one message; false when more bytes are needed. */
  #step(): boolean {
    const input = this.#input;
    const take = (length: number) => {
      if (input.length < length) return undefined;
      this.#input = input.subarray(length);
      return input.subarray(0, length);
    };
    if (this.#state === 'version') {
      if (take(12) === undefined) return false;
      this.#state = 'security';
      if (this.#options.opening === undefined) this.send(Buffer.from([1, 1]));
      return true;
    }
    if (this.#state === 'security') {
      if (take(1) === undefined) return false;
      this.#state = 'init';
      this.send(Buffer.from([0, 0, 0, 0]));
      return true;
    }
    if (this.#state === 'init') {
      if (take(1) === undefined) return false;
      this.#state = 'ready';
      this.send(serverInit(this.#size.width, this.#size.height));
      return true;
    }
    const length = messageLength(input);
    const message = length === undefined ? undefined : take(length);
    if (message === undefined) return false;
    this.#handle(message);
    return true;
  }

  #handle(message: Buffer): void {
    const received = decode(message);
    this.received.push(received);
    this.onMessage(received);
    if (received.kind === 'encodings') this.#announce();
    else if (received.kind === 'fence') this.#answerFence(message);
    else if (received.kind === 'update') {
      this.#wanted ??= [];
      if (received.what === 'whole') this.#wanted.push(received.region);
      if (this.#has('scancodes')) setTimeout(() => this.#flush(), 2);
      else this.#flush();
    }
  }

  #announce(): void {
    if (this.#has('fences')) this.send(fence(REQUEST, Buffer.from([0])));
    if (this.#has('clipboard')) this.send(clipboard(0x1f00_0001, Buffer.alloc(4)));
    if (this.#has('scancodes'))
      this.send(update(rectangle({ x: 0, y: 0, width: 1, height: 1 }, -258)));
  }

  #answerFence(message: Buffer): void {
    const flags = message.readUInt32BE(4);
    if (flags >= REQUEST && this.answering) this.send(fence(flags - REQUEST, message.subarray(9)));
  }
}

function messageLength(input: Buffer): number | undefined {
  switch (input[0]) {
    case undefined:
      return undefined;
    case 0:
      return 20;
    case 2:
      return input.length < 4 ? undefined : 4 + 4 * input.readUInt16BE(2);
    case 3:
      return 10;
    case 4:
      return 8;
    case 5:
      return (input[1] ?? 0) < 0x80 ? 6 : 7;
    case 6:
      return input.length < 8 ? undefined : 8 + Math.abs(input.readInt32BE(4));
    case 248:
      return input.length < 9 ? undefined : 9 + input.readUInt8(8);
    case 255:
      return 12;
    default:
      throw new Error(`the client sent a message of type ${input[0]}`);
  }
}

function decode(message: Buffer): ClientMessage {
  switch (message[0]) {
    case 2:
      return { kind: 'encodings' };
    case 3:
      return {
        kind: 'update',
        what: message[1] === 1 ? 'changes' : 'whole',
        region: {
          x: message.readUInt16BE(2),
          y: message.readUInt16BE(4),
          width: message.readUInt16BE(6),
          height: message.readUInt16BE(8),
        },
      };
    case 4:
      return { kind: 'key', down: message[1] === 1, keysym: message.readUInt32BE(4) };
    case 5:
      return {
        kind: 'pointer',
        buttons: ((message[1] ?? 0) & 0x7f) | ((message[6] ?? 0) << 7),
        x: message.readUInt16BE(2),
        y: message.readUInt16BE(4),
      };
    case 6: {
      const flags = message.readUInt32BE(8);
      const provided = (flags & (1 << 28)) !== 0 && message.length > 16;
      const text = provided ? inflateSync(message.subarray(12)).subarray(4, -1).toString() : '';
      return { kind: 'clipboard', flags, text };
    }
    case 248:
      return { kind: 'fence' };
    case 255:
      return {
        kind: 'scancode',
        down: message.readUInt16BE(2) === 1,
        scancode: message.readUInt32BE(8),
      };
    default:
      return { kind: 'format' };
  }
}

export function serverInit(width: number, height: number, nameLength = 4): Buffer {
  const init = Buffer.alloc(24);
  init.writeUInt16BE(width, 0);
  init.writeUInt16BE(height, 2);
  init.writeUInt32BE(nameLength, 20);
  return Buffer.concat([init, Buffer.from('test')]);
}

/** A FramebufferUpdate of these rectangles. */
export function update(...rectangles: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(rectangles.length, 2);
  return Buffer.concat([head, ...rectangles]);
}

export function rectangle(region: Region, encoding: number, body = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(region.x, 0);
  head.writeUInt16BE(region.y, 2);
  head.writeUInt16BE(region.width, 4);
  head.writeUInt16BE(region.height, 6);
  head.writeInt32BE(encoding, 8);
  return Buffer.concat([head, body]);
}

/** A Raw rectangle of one colour, 0xrrggbb. */
export function raw(region: Region, colour: number): Buffer {
  const pixel = Buffer.from([colour >> 16, (colour >> 8) & 255, colour & 255, 0]);
  return rectangle(region, 0, Buffer.alloc(region.width * region.height * 4, pixel));
}

export function fence(flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt8(248, 0);
  head.writeUInt32BE(flags, 4);
  head.writeUInt8(payload.length, 8);
  return Buffer.concat([head, payload]);
}

/** A cut text message with a negative length. */
export function clipboard(flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt8(3, 0);
  head.writeInt32BE(-(4 + payload.length), 4);
  head.writeUInt32BE(flags, 8);
  return Buffer.concat([head, payload]);
}

export const guestWantsClipboard = clipboard(0x0200_0001, Buffer.alloc(0));
export const guestHasClipboard = clipboard(0x0800_0001, Buffer.alloc(0));

export function guestClipboard(text: string): Buffer {
  const bytes = Buffer.from(`${text}\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return clipboard(0x1000_0001, deflateSync(Buffer.concat([length, bytes])));
}
