import { ApiError } from '../../contract/errors.js';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import { requireOnScreen } from '../errors.js';
import type { Region } from '../geometry.js';
import type { Pointer } from '../input/pointer.js';
import { type DrawnCursor, drawCursor } from '../model/cursor.js';
import type { Connection } from '../rfb/connection.js';
import { PIXEL } from '../rfb/constants.js';
import type { Picture, PictureOptions } from '../types.js';
import { encode } from './encode.js';
import { encodings } from './encodings.js';
import { drawMarks } from './marks.js';
import { PngBands } from './png/bands.js';

/** Most pictures kept, and bytes of all of them if there are several. */
const MAX_PICTURES = 4;
const MAX_BYTES = 1 << 20;

/** What a picture shows; compared item by item. */
type State = readonly unknown[];

interface Kept {
  readonly state: State;
  readonly picture: Promise<Picture>;
  bytes: number;
}

/**
 * The last pictures of a screen, one for each kind: a client that reads PNGs and a page that shows
 * thumbnails do not displace each other's.
 */
export class RecentPictures {
  /** The one used last comes last. */
  readonly #kept = new Map<string, Kept>();

  /**
   * The picture of this kind if it was made of the same state, else the result of `make`, which is
   * kept unless it rejects.
   */
  get(kind: string, state: State, make: () => Promise<Picture>): Promise<Picture> {
    const found = this.#kept.get(kind);
    const isCurrent = found?.state.every((part, at) => part === state[at]) ?? false;
    const kept = isCurrent && found ? found : { state, picture: make(), bytes: 0 };
    this.#kept.delete(kind);
    this.#kept.set(kind, kept);
    if (!isCurrent) {
      kept.picture.then(
        ({ data }) => {
          kept.bytes = data.length;
          this.#dropOldest();
        },
        () => {
          if (this.#kept.get(kind) === kept) this.#kept.delete(kind);
        },
      );
    }
    return kept.picture;
  }

  clear(): void {
    this.#kept.clear();
  }

  #dropOldest(): void {
    let bytes = [...this.#kept.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [kind, kept] of this.#kept) {
      const isOver = this.#kept.size > MAX_PICTURES || bytes > MAX_BYTES;
      if (!isOver || this.#kept.size === 1) return;
      this.#kept.delete(kind);
      bytes -= kept.bytes;
    }
  }
}

/** Pictures of a screen that are taken at once: each has its pixels in memory, up to 33 MB. */
const AT_ONCE = 2;
/** Milliseconds that pictures and memory for pixels are kept after the last screenshot. */
const KEEP_MS = 45_000;

/** Encodes screenshots of the framebuffer, and keeps the last ones until something changes. */
export class Screenshots {
  readonly #connection: Connection;
  readonly #pointer: Pointer;
  readonly #recent = new RecentPictures();
  readonly #bands: PngBands;
  /** Pixel buffer of the last screenshot, for reuse: allocating a new one takes a millisecond. */
  #spare: Buffer | undefined;
  readonly #taking = new ConcurrencyLimit(AT_ONCE);
  #forgetting: NodeJS.Timeout | undefined;

  constructor(connection: Connection, pointer: Pointer) {
    this.#connection = connection;
    this.#pointer = pointer;
    this.#bands = new PngBands(connection.framebuffer);
    connection.once('close', () => this.#forget());
  }

  /** Rejects with ApiError `off_screen` for a region outside. */
  take(options: PictureOptions, signal?: AbortSignal): Promise<Picture> {
    return this.#taking.run(async () => {
      // Another caller's update may be half written, which would tear the picture.
      while (this.#connection.updating) await this.#connection.updated(signal);
      signal?.throwIfAborted();
      try {
        return await this.#take(options);
      } finally {
        this.#forgetLater();
      }
    });
  }

  /** Reads the framebuffer before it returns. */
  #take(options: PictureOptions): Promise<Picture> {
    const { framebuffer, cursor } = this.#connection;
    const region = options.region ?? framebuffer.bounds;
    requireOnScreen(region, framebuffer.size);
    const pointer =
      options.cursor && cursor !== undefined ? { cursor, ...this.#pointer.at } : undefined;
    const { x, y, width, height } = region;
    const { format, scale } = options;
    const quality = format === 'png' ? undefined : options.quality;
    const kind = JSON.stringify([x, y, width, height, format, quality, scale, options.cursor]);
    const state = [framebuffer.versionOf(region), pointer?.cursor, pointer?.x, pointer?.y];
    if (options.boxes !== undefined) return this.#encode(options, region, pointer);
    return this.#recent.get(kind, state, () => this.#encode(options, region, pointer));
  }

  async #encode(
    options: PictureOptions,
    region: Region,
    pointer: DrawnCursor | undefined,
  ): Promise<Picture> {
    const { framebuffer } = this.#connection;
    const { width, height } = framebuffer.size;
    const isWhole = region.width === width && region.height === height;
    const { format, scale, boxes } = options;
    const isPlain = format === 'png' && scale === 1 && isWhole && boxes === undefined;
    const pixels = this.#memory(region.width * region.height * PIXEL);
    try {
      if (isPlain && this.#bands.choose() === 'bands') {
        return { data: await this.#whole(pixels, pointer), format: 'png', width, height };
      }
      framebuffer.read(region, pixels);
      if (pointer !== undefined) drawCursor(pixels, region, pointer.cursor, pointer.x, pointer.y);
      if (boxes !== undefined) drawMarks(pixels, region, boxes, scale);
      return await encodings.run(() => encode(pixels, region, options));
    } finally {
      this.#spare = pixels;
    }
  }

  async #whole(pixels: Buffer, pointer: DrawnCursor | undefined): Promise<Buffer> {
    try {
      return await this.#bands.encode(pixels, pointer);
    } catch (cause) {
      throw new ApiError('internal', 'The screenshot could not be encoded as png.', { cause });
    }
  }

  #memory(bytes: number): Buffer {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare?.length === bytes ? spare : Buffer.allocUnsafeSlow(bytes);
  }

  #forgetLater(): void {
    clearTimeout(this.#forgetting);
    const keepMs = this.#connection.isOpen ? KEEP_MS : 0;
    this.#forgetting = setTimeout(() => this.#forget(), keepMs);
    this.#forgetting.unref();
  }

  #forget(): void {
    clearTimeout(this.#forgetting);
    this.#recent.clear();
    this.#bands.clear();
    this.#spare = undefined;
  }
}
