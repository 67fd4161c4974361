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

/** The only supported pixel format: 32 bits, red first. */
const PIXEL_FORMAT = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]);

/** True for a format with the same pixels as {@link PIXEL_FORMAT}. */
export function isOurFormat(format: Buffer): boolean {
  return format.length >= 13 && format.subarray(0, 13).equals(PIXEL_FORMAT.subarray(0, 13));
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

/** A JPEG image in the Tight encoding (RFB 7.7.7): control byte, compact length, data. */
export function jpegRectangle(region: Region, jpeg: Buffer): Buffer {
  const { length } = jpeg;
  const compactLength = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
  return rectangle(region, ViewEncoding.tight, Buffer.from([0x90, ...compactLength]), jpeg);
}

/** Limit of a JPEG's size in bytes, given by its compact length. */
export const MOST_JPEG = 1 << 22;

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
