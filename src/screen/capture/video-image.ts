import { TokenBucket } from '../../lib/async/token-bucket.js';
import { intersects, type Region, type Size } from '../geometry.js';
import type { Pointer } from '../input/pointer.js';
import { drawCursor, regionOf } from '../model/cursor.js';
import { area } from '../model/damage.js';
import type { Connection } from '../rfb/connection.js';
import { MAX_PIXELS } from '../rfb/constants.js';
import type { ScreenChanges } from '../types.js';
import { convert, evenRegion, evenSize, PixelMemory, type Planes, planesBytes } from './yuv.js';

/**
 * Pixels that are converted per second for all screens: 1920x1080 48 times, about a third of the main
 * thread's time. Beyond that there are fewer new images.
 */
const PER_SECOND = 96 << 20;
/** Pixels that take as long as one of the pointer, which is blended. */
const POINTER_WORK = 16;
/** Copied pixels that take as long as a converted one. */
const COPIED = 8;

const work = new TokenBucket(MAX_PIXELS, PER_SECOND);

export interface ImageSources {
  readonly connection: Connection;
  readonly pointer: Pointer;
  readonly changes: ScreenChanges;
}

/**
 * The screen as a 4:2:0 image with the pointer drawn in, for all outputs together. Converts only what
 * changed, when the image is looked at, and only between two updates, so that the image is never torn.
 */
export class VideoImage {
  readonly #connection: Connection;
  readonly #pointer: Pointer;
  readonly #changes: ScreenChanges;
  #planes: Planes;
  #scratch: PixelMemory;
  #version = 0;
  /** The version of the screen's changes that the image shows. */
  #shown = 0;
  /** The pointer's image and region when it was last drawn. */
  #drawn: { readonly look: unknown; readonly region: Region } | undefined;
  #isClosed = false;

  constructor({ connection, pointer, changes }: ImageSources) {
    this.#connection = connection;
    this.#pointer = pointer;
    this.#changes = changes;
    [this.#planes, this.#scratch] = memory(connection.framebuffer.size);
    this.#whole();
    connection.on('resize', this.#onResize);
  }

  get size(): Size {
    return this.#planes.size;
  }

  get version(): number {
    this.#catchUp();
    return this.#version;
  }

  read(target: Buffer): void {
    this.#catchUp();
    work.take(area(this.size) / COPIED);
    target.set(this.#planes.data);
  }

  /** Milliseconds until the image can change again. */
  get waitMs(): number {
    return work.debtMs;
  }

  /** The image stays as it is. */
  close(): void {
    this.#isClosed = true;
    this.#connection.off('resize', this.#onResize);
  }

  readonly #onResize = (): void => {
    [this.#planes, this.#scratch] = memory(this.#connection.framebuffer.size);
    this.#whole();
  };

  #whole(): void {
    this.#shown = this.#changes.version;
    this.#drawn = this.#pointerNow();
    this.#paint(this.#bounds);
  }

  get #bounds(): Region {
    return { x: 0, y: 0, ...this.size };
  }

  /** Leaves the image as it is while the limit of work is exceeded. */
  #catchUp(): void {
    if (this.#isClosed || this.#connection.updating || this.waitMs > 0) return;
    const changed = this.#changes.since(this.#shown) ?? [this.#bounds];
    this.#shown = this.#changes.version;
    const pixels = changed.reduce((sum, region) => sum + area(region), 0);
    if (pixels > area(this.size)) this.#whole();
    else for (const region of changed) this.#paint(region);
    this.#followPointer();
  }

  /** Erases the pointer at its old position and draws it at the new one. */
  #followPointer(): void {
    const now = this.#pointerNow();
    const { region, look } = this.#drawn ?? {};
    const isSame = now?.look === look && now?.region.x === region?.x && now?.region.y === region?.y;
    if (isSame) return;
    this.#drawn = now;
    if (region !== undefined) this.#paint(region);
    if (now !== undefined) this.#paint(now.region);
  }

  #pointerNow() {
    const { cursor } = this.#connection;
    if (cursor === undefined) return undefined;
    return { look: cursor, region: regionOf({ cursor, ...this.#pointer.at }) };
  }

  #paint(changed: Region): void {
    const region = evenRegion(changed, this.size);
    if (region === undefined) return;
    const { bytes, words } = this.#scratch;
    this.#connection.framebuffer.read(region, bytes);
    work.take(area(region));
    const pointer = this.#pointerNow();
    if (pointer !== undefined && intersects(pointer.region, region)) {
      work.take(POINTER_WORK * Math.min(area(pointer.region), area(region)));
      const { x, y } = this.#pointer.at;
      drawCursor(bytes, region, pointer.look, x, y);
    }
    convert(words, region, this.#planes);
    this.#version += 1;
  }
}

function memory(screen: Size): [Planes, PixelMemory] {
  const size = evenSize(screen);
  const data = new Uint8Array(planesBytes(size));
  return [{ size, data }, new PixelMemory(screen.width * screen.height)];
}
