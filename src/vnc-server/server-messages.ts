import type { Cursor } from '../screen/model/cursor.js';
import { Encoding, PIXEL, ServerMessage } from '../screen/rfb/constants.js';
import type { Region, Size } from '../screen/types.js';

/** Encoders of the messages to a viewer (RFB 7.1 to 7.8). */

export const VERSION = Buffer.from('RFB 003.008\n', 'latin1');
/** One security type: None. The ticket has already authenticated the viewer. */
export const SECURITY_TYPES = Buffer.from([1, 1]);
export const SECURITY_OK = Buffer.alloc(4);

/** Encodings sent to viewers. */
export const ViewEncoding = {
  raw: Encoding.raw,
  zlib: 6,
  tight: 7,
  desktopSize: Encoding.desktopSize,
  vmwareCursor: 0x574d5664,
} as const;

/** The announced pixel format: 32 bits, red first. */
const PIXEL_FORMAT = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]);

/** The bytes of red, green and blue in a pixel of four bytes. */
export type PixelOrder = readonly [red: number, green: number, blue: number];
export const RED_FIRST: PixelOrder = [0, 1, 2];

/** The order of a pixel format (RFB 7.4); undefined for one that is not 32-bit true colour. */
export function pixelOrder(format: Buffer): PixelOrder | undefined {
  const [bits, depth, isBigEndian, isTrueColour] = format;
  const has8Bits = [4, 6, 8].every((at) => format.readUInt16BE(at) === 255);
  if (bits !== 32 || depth !== 24 || isTrueColour === 0 || !has8Bits) return undefined;
  const byteOf = (at: number) => Math.abs((isBigEndian === 0 ? 0 : 3) - format.readUInt8(at) / 8);
  const order = [byteOf(10), byteOf(11), byteOf(12)] as const;
  const isPossible =
    new Set(order).size === 3 && order.every((byte) => [0, 1, 2, 3].includes(byte));
  return isPossible ? order : undefined;
}

export function serverInit(size: Size, name: string): Buffer {
  const title = Buffer.from(name, 'utf8');
  const head = Buffer.alloc(24);
  head.writeUInt16BE(size.width, 0);
  head.writeUInt16BE(size.height, 2);
  PIXEL_FORMAT.copy(head, 4);
  head.writeUInt32BE(title.length, 20);
  return Buffer.concat([head, title]);
}

/** An update with encoded rectangles. */
export function update(rectangles: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt8(ServerMessage.framebufferUpdate, 0);
  head.writeUInt16BE(rectangles.length, 2);
  return Buffer.concat([head, ...rectangles]);
}

export function rectangle(region: Region, encoding: number, ...body: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(region.x, 0);
  head.writeUInt16BE(region.y, 2);
  head.writeUInt16BE(region.width, 4);
  head.writeUInt16BE(region.height, 6);
  head.writeInt32BE(encoding, 8);
  return Buffer.concat([head, ...body]);
}

/** The Zlib encoding (RFB 7.7.6): a length, and part of a continuous stream. */
export function zlibRectangle(region: Region, packed: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(packed.length);
  return rectangle(region, ViewEncoding.zlib, length, packed);
}

/** A JPEG image in the Tight encoding (RFB 7.7.7). */
export function jpegRectangle(region: Region, jpeg: Buffer): Buffer {
  return tightRectangle(region, 0x90, jpeg);
}

/** Red, green and blue bytes, part of the first of the Tight encoding's Zlib streams. */
export function packedRectangle(region: Region, packed: Buffer): Buffer {
  return tightRectangle(region, 0, packed);
}

/** Fewest bytes that the Tight encoding compresses. */
export const LEAST_PACKED = 12;

/** The same without compression, for fewer than {@link LEAST_PACKED} bytes. */
export function plainRectangle(region: Region, pixels: Buffer): Buffer {
  return rectangle(region, ViewEncoding.tight, Buffer.from([0]), pixels);
}

/** Control byte, compact length, data. */
function tightRectangle(region: Region, control: number, data: Buffer): Buffer {
  const { length } = data;
  const compactLength = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
  return rectangle(region, ViewEncoding.tight, Buffer.from([control, ...compactLength]), data);
}

/** Limit of a Tight rectangle's data in bytes, given by its compact length. */
export const MOST_TIGHT = 1 << 22;
/** Largest rectangle where Tight is the only compression: it has a limit of columns, and of bytes. */
export const MOST_TILE: Size = { width: 2048, height: 512 };

/** Announces a new size of the screen. */
export function resized(size: Size): Buffer {
  return rectangle({ x: 0, y: 0, ...size }, ViewEncoding.desktopSize);
}

const cursors = new WeakMap<Cursor, Buffer>();

/**
 * The pointer's image (VMware Cursor: type 1, alpha not premultiplied). It is made once for all views:
 * a large one takes milliseconds.
 */
export function cursorRectangle(cursor: Cursor): Buffer {
  const known = cursors.get(cursor);
  if (known !== undefined) return known;
  const made = encodeCursor(cursor);
  cursors.set(cursor, made);
  return made;
}

function encodeCursor(cursor: Cursor): Buffer {
  const { hotX, hotY, width, height } = cursor;
  const pixels = Buffer.alloc(width * height * PIXEL);
  for (let at = 0; at < pixels.length; at += PIXEL) {
    const alpha = cursor.pixels[at + 3] ?? 0;
    for (let channel = 0; channel < 3 && alpha > 0; channel++) {
      const value = ((cursor.pixels[at + channel] ?? 0) * 255) / alpha;
      pixels[at + channel] = Math.min(255, Math.round(value));
    }
    pixels[at + 3] = alpha;
  }
  const region = { x: hotX, y: hotY, width, height };
  return rectangle(region, ViewEncoding.vmwareCursor, Buffer.from([1, 0]), pixels);
}
