import { type Region, type Size, union } from '../geometry.js';
import type { Pointer } from '../input/pointer.js';
import { drawCursor, regionOf } from '../model/cursor.js';
import type { UpdateScheduler } from '../model/update-scheduler.js';
import type { Connection } from '../rfb/connection.js';
import type { UpdateDamage } from '../rfb/update-damage.js';
import type { VideoFrame } from '../types.js';
import { convert, evenRegion, evenSize, PixelMemory, type Planes, planesBytes } from './yuv.js';

/** Changed regions; further ones are merged into one. */
const MOST_CHANGED = 64;

/**
 * The screen as a 4:2:0 image with the pointer drawn in. Converts only what changed, when the
 * image is looked at, and only between two updates, so that the image is never torn.
 */
export class RfbVideoFrame implements VideoFrame {
  readonly #connection: Connection;
  readonly #pointer: Pointer;
  readonly #stopWatching: () => void;
  #planes: Planes;
  #scratch: PixelMemory;
  #version = 0;
  /** What has changed since the image was looked at: a guest can send thousands of updates a second. */
  #changed: Region[] = [];
  /** The pointer's image and region when it was last drawn. */
  #drawn: { readonly look: unknown; readonly region: Region } | undefined;

  constructor(
    connection: Connection,
    pointer: Pointer,
    updates: UpdateScheduler,
    intervalMs: number,
  ) {
    this.#connection = connection;
    this.#pointer = pointer;
    this.#stopWatching = updates.watch(intervalMs);
    [this.#planes, this.#scratch] = memory(connection.framebuffer.size);
    this.#whole();
    connection.on('update', this.#onUpdate);
    connection.on('resize', this.#onResize);
  }

  get size(): Size {
    return this.#planes.size;
  }

  get version(): number {
    this.#catchUp();
    return this.#version;
  }

  get open(): boolean {
    return this.#connection.isOpen;
  }

  read(target: Buffer): void {
    this.#catchUp();
    target.set(this.#planes.data);
  }

  stop(): void {
    this.#stopWatching();
    this.#connection.off('update', this.#onUpdate);
    this.#connection.off('resize', this.#onResize);
  }

  readonly #onUpdate = ({ damage }: UpdateDamage): void => {
    for (const region of damage) {
      if (this.#changed.length < MOST_CHANGED) this.#changed.push(region);
      else this.#changed[0] = union(this.#changed[0] ?? region, region);
    }
  };

  readonly #onResize = (): void => {
    [this.#planes, this.#scratch] = memory(this.#connection.framebuffer.size);
    this.#whole();
  };

  #whole(): void {
    this.#changed = [];
    this.#drawn = this.#pointerNow();
    this.#paint({ x: 0, y: 0, ...this.size });
  }

  #catchUp(): void {
    if (this.#connection.updating) return;
    const { size } = this;
    const area = this.#changed.reduce((sum, { width, height }) => sum + width * height, 0);
    if (area > size.width * size.height) this.#whole();
    for (const region of this.#changed.splice(0)) this.#paint(region);
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
    const { cursor } = this.#connection;
    const { x, y } = this.#pointer.at;
    if (cursor !== undefined) drawCursor(bytes, region, cursor, x, y);
    convert(words, region, this.#planes);
    this.#version += 1;
  }
}

function memory(screen: Size): [Planes, PixelMemory] {
  const size = evenSize(screen);
  const data = new Uint8Array(planesBytes(size));
  return [{ size, data }, new PixelMemory(screen.width * screen.height)];
}
