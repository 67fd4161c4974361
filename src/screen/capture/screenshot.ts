import { requireOnScreen } from '../errors.js';
import type { Pointer } from '../input/pointer.js';
import { drawCursor } from '../model/cursor.js';
import type { Connection } from '../rfb/connection.js';
import { PIXEL } from '../rfb/constants.js';
import type { Picture, PictureOptions } from '../types.js';
import { encode } from './encode.js';

/** Encodes screenshots of the framebuffer, and caches the last one until something changes. */
export class Screenshots {
  readonly #connection: Connection;
  readonly #pointer: Pointer;
  #last: { readonly key: string; readonly picture: Promise<Picture> } | undefined;
  /** Pixel buffer of the last screenshot, for reuse: allocating a new one takes a millisecond. */
  #spare: Buffer | undefined;

  constructor(connection: Connection, pointer: Pointer) {
    this.#connection = connection;
    this.#pointer = pointer;
  }

  /** Copies the framebuffer before it returns. Throws ApiError `off_screen` for a region outside. */
  take(options: PictureOptions): Promise<Picture> {
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
