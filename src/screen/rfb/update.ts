import { protocolError } from '../errors.js';
import { contains, type Region, type Size } from '../geometry.js';
import { type Cursor, withMask } from '../model/cursor.js';
import type { Framebuffer, Rows } from '../model/framebuffer.js';
import { Encoding, MAX_CURSOR, MAX_PIXELS, PIXEL } from './constants.js';
import { readHextile } from './hextile.js';
import type { ByteReader } from './reader.js';

/** Receives the rectangles of an update. */
export interface UpdateTarget {
  readonly framebuffer: Framebuffer;
  /** Encodings announced to the server. */
  readonly announced: readonly number[];
  /** Called before a rectangle of `pixels` pixels is read; throws when it exceeds the limit. */
  charge(pixels: number): void;
  /** Called before a rectangle whose bytes are far fewer than its work, in pixels; may take a while. */
  chargeCompact(pixels: number): Promise<void> | undefined;
  /** Called before the screen gets another size; throws when that happens too often. */
  chargeResize(): void;
  /** Pixels of this region were received, changed or not. */
  onPixels(region: Region): void;
  /** Pixels of this region have changed. */
  onDamage(region: Region): void;
  onResize(size: Size): void;
  onCursor(cursor: Cursor): void;
  onQemuKeys(): void;
  /** The server reads more than seven mouse buttons. */
  onMouseButtons(): void;
  /** Bit 0 Scroll Lock, 1 Num Lock, 2 Caps Lock. */
  onLeds(leds: number): void;
}

/** Pixels that take as long as a row of one. */
const LEAST_ROW = 256;
/** Pixels that take as long as one of the pointer's image, whose mask is applied one by one. */
const CURSOR_WORK = 40;

/** Number of rectangles of an update that ends with a LastRect. */
const UNTIL_LAST = 0xffff;

/** Reads the rectangles of one FramebufferUpdate (RFB 7.6.1) after its message type. */
export async function readUpdate(reader: ByteReader, target: UpdateTarget): Promise<void> {
  const count = (await reader.read(3)).readUInt16BE(1);
  for (let index = 0; index < count || count === UNTIL_LAST; index++) {
    const head = await reader.read(12);
    const encoding = head.readInt32BE(8);
    if (encoding === Encoding.lastRect) return;
    const region = {
      x: head.readUInt16BE(0),
      y: head.readUInt16BE(2),
      width: head.readUInt16BE(4),
      height: head.readUInt16BE(6),
    };
    target.charge(Math.min(region.width * region.height, MAX_PIXELS));
    await readRectangle(reader, target, encoding, region);
  }
}

async function readRectangle(
  reader: ByteReader,
  target: UpdateTarget,
  encoding: number,
  region: Region,
): Promise<void> {
  if (!target.announced.includes(encoding)) {
    throw protocolError(`used encoding ${encoding}, which the client did not announce`);
  }
  switch (encoding) {
    case Encoding.raw:
      return readRaw(reader, target, region);
    case Encoding.hextile:
      return readTiles(reader, target, region);
    case Encoding.copyRect:
      return readCopy(reader, target, region);
    case Encoding.desktopSize:
      target.chargeResize();
      target.framebuffer.resize({ width: region.width, height: region.height });
      target.onResize({ width: region.width, height: region.height });
      return;
    case Encoding.cursor:
    case Encoding.cursorWithAlpha:
      await target.chargeCompact(
        Math.min(region.width, MAX_CURSOR) * Math.min(region.height, MAX_CURSOR) * CURSOR_WORK,
      );
      target.onCursor(await readCursor(reader, encoding, region));
      return;
    case Encoding.qemuKeyEvent:
      target.onQemuKeys();
      return;
    case Encoding.extendedMouseButtons:
      target.onMouseButtons();
      return;
    case Encoding.ledState:
      target.onLeds(await reader.u8());
      return;
    default:
      throw protocolError(`used encoding ${encoding} for a rectangle`);
  }
}

async function readRaw(reader: ByteReader, target: UpdateTarget, region: Region): Promise<void> {
  if (region.width === 0 || region.height === 0) return;
  requireInside(target.framebuffer, region);
  const total = region.width * region.height * PIXEL;
  await target.chargeCompact(workOf(region) - region.width * region.height);
  let first = Number.POSITIVE_INFINITY;
  let last = -1;
  for (let done = 0; done < total; ) {
    const pixels = await reader.some(total - done);
    const rows = target.framebuffer.write(region, done, pixels);
    if (rows !== undefined) {
      first = Math.min(first, rows.first);
      last = rows.last;
    }
    done += pixels.length;
  }
  target.onPixels(region);
  if (last >= 0) target.onDamage(rowsOf(region, { first, last }));
}

async function readTiles(reader: ByteReader, target: UpdateTarget, region: Region): Promise<void> {
  if (region.width === 0 || region.height === 0) return;
  requireInside(target.framebuffer, region);
  await target.chargeCompact(workOf(region));
  const rows = await readHextile(reader, region, (offset, pixels) =>
    target.framebuffer.write(region, offset, pixels),
  );
  target.onPixels(region);
  if (rows !== undefined) target.onDamage(rowsOf(region, rows));
}

/** The work of a rectangle, in pixels: each row takes as long as some hundred pixels, however narrow. */
function workOf({ width, height }: Region): number {
  return Math.max(width, LEAST_ROW) * height;
}

function rowsOf(region: Region, { first, last }: Rows): Region {
  return { ...region, y: region.y + first, height: last - first + 1 };
}

async function readCopy(reader: ByteReader, target: UpdateTarget, region: Region): Promise<void> {
  const source = await reader.read(4);
  const x = source.readUInt16BE(0);
  const y = source.readUInt16BE(2);
  requireInside(target.framebuffer, region);
  requireInside(target.framebuffer, { ...region, x, y });
  await target.chargeCompact(workOf(region));
  target.framebuffer.copy(x, y, region);
  target.onPixels(region);
  target.onDamage(region);
}

function requireInside(framebuffer: Framebuffer, region: Region): void {
  if (contains(framebuffer.size, region)) return;
  const { x, y, width, height } = region;
  throw protocolError(`painted ${width}x${height} at ${x},${y}, outside the screen`);
}

async function readCursor(reader: ByteReader, encoding: number, region: Region): Promise<Cursor> {
  const { x: hotX, y: hotY, width, height } = region;
  if (width > MAX_CURSOR || height > MAX_CURSOR) {
    throw protocolError(`announced a pointer of ${width}x${height}`);
  }
  if (encoding === Encoding.cursorWithAlpha && (await reader.u32()) !== Encoding.raw) {
    throw protocolError('sent a pointer in an encoding that the client did not announce');
  }
  // Copied, because a view would keep a much larger chunk alive.
  const pixels = Buffer.from(await reader.read(width * height * PIXEL));
  if (encoding === Encoding.cursorWithAlpha) return { hotX, hotY, width, height, pixels };
  const mask = await reader.read(Math.ceil(width / 8) * height);
  return { hotX, hotY, width, height, pixels: withMask({ width, height }, pixels, mask) };
}
