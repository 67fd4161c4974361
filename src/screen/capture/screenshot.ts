import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import { requireOnScreen } from '../errors.js';
import type { Pointer } from '../input/pointer.js';
import { drawCursor } from '../model/cursor.js';
import type { Connection } from '../rfb/connection.js';
import { PIXEL } from '../rfb/constants.js';
import type { Picture, PictureOptions } from '../types.js';
import { encode } from './encode.js';

/** Pictures of a screen that are encoded at once: each has its pixels in memory, up to 33 MB. */
const AT_ONCE = 2;

/** Encodes screenshots of the framebuffer, and caches the last one until something changes. */
export class Screenshots {
  readonly #connection: Connection;
  readonly #pointer: Pointer;
  #last: { readonly key: string; readonly picture: Promise<Picture> } | undefined;
  /** Pixel buffer of the last screenshot, for reuse: allocating a new one takes a millisecond. */
  #spare: Buffer | undefined;
  readonly #encodings = new ConcurrencyLimit(AT_ONCE);

  constructor(connection: Connection, pointer: Pointer) {
    this.#connection = connection;
    this.#pointer = pointer;
  }

  /** Rejects with ApiError `off_screen` for a region outside. */
  take(options: PictureOptions, signal?: AbortSignal): Promise<Picture> {
    return this.#encodings.run(async () => {
      // Another caller's update may be half written, which would tear the picture.
      while (this.#connection.updating) await this.#connection.updated(signal);
      signal?.throwIfAborted();
      return this.#encode(options);
    });
  }

  /** Copies the framebuffer before it returns. */
  #encode(options: PictureOptions): Promise<Picture> {
    const { framebuffer, cursor } = this.#connection;
    const region = options.region ?? framebuffer.bounds;
    requireOnScreen(region, framebuffer.size);
    const { format, quality, scale } = options;
    const pointer = options.cursor ? [this.#pointer.at, cursor?.pixels.toString('base64')] : [];
    const key = JSON.stringify([framebuffer.version, region, format, quality, scale, pointer]);
    if (this.#last?.key === key) return this.#last.picture;

    const pixels = this.#memory(region.width * region.height * PIXEL);
    framebuffer.read(region, pixels);
    if (options.cursor && cursor !== undefined) {
      drawCursor(pixels, region, cursor, this.#pointer.at.x, this.#pointer.at.y);
    }
    const picture = encode(pixels, region, options).finally(() => {
      this.#spare = pixels;
    });
    this.#last = { key, picture };
    picture.catch(() => {
      if (this.#last?.key === key) this.#last = undefined;
    });
    return picture;
  }

  #memory(bytes: number): Buffer {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare?.length === bytes ? spare : Buffer.allocUnsafe(bytes);
  }
}
