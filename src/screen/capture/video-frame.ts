import type { Region, Size } from '../geometry.js';
import type { Pointer } from '../input/pointer.js';
import { drawCursor, regionOf } from '../model/cursor.js';
import type { UpdateScheduler } from '../model/update-scheduler.js';
import type { Connection } from '../rfb/connection.js';
import type { UpdateDamage } from '../rfb/update-damage.js';
import type { VideoFrame } from '../types.js';
import { convert, evenRegion, evenSize, PixelMemory, type Planes, planesBytes } from './yuv.js';

/**
 * The screen as a 4:2:0 image with the pointer drawn in. Converts only what changed, and only
 * between two updates, so that the image is never torn.
 */
export class RfbVideoFrame implements VideoFrame {
  readonly #connection: Connection;
  readonly #pointer: Pointer;
  readonly #stopWatching: () => void;
  #planes: Planes;
  #scratch: PixelMemory;
  #version = 0;
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
    this.#followPointer();
    return this.#version;
  }

  get open(): boolean {
    return this.#connection.isOpen;
  }

  read(target: Buffer): void {
    target.set(this.#planes.data);
  }

  stop(): void {
    this.#stopWatching();
    this.#connection.off('update', this.#onUpdate);
    this.#connection.off('resize', this.#onResize);
  }

  readonly #onUpdate = ({ damage }: UpdateDamage): void => {
    for (const region of damage) this.#paint(region);
  };

  readonly #onResize = (): void => {
    [this.#planes, this.#scratch] = memory(this.#connection.framebuffer.size);
    this.#whole();
  };

  #whole(): void {
    this.#drawn = this.#pointerNow();
    this.#paint({ x: 0, y: 0, ...this.size });
  }

  /** Erases the pointer at its old position and draws it at the new one. */
  #followPointer(): void {
    const now = this.#pointerNow();
    const { region, look } = this.#drawn ?? {};
    const isSame = now?.look === look && now?.region.x === region?.x && now?.region.y === region?.y;
    if (isSame || this.#connection.updating) return;
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
