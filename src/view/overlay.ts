import { drawCursor } from '../screen/cursor.js';
import { intersects } from '../screen/framebuffer.js';
import type { Region, Screen } from '../screen/types.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The pointer, drawn into the picture of a viewer that did not put it where it is: so that people
 * see what an agent points at. A viewer's own pointer is drawn by its browser.
 */
export class Overlay {
  readonly #screen: Screen;
  /** Where the viewer itself put the pointer last. */
  #own: Point | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** The viewer moves the pointer there. */
  claim(at: Point): void {
    this.#own = at;
  }

  /** What the pointer covers; undefined while the viewer's browser shows it. */
  get region(): Region | undefined {
    const { cursor, pointer } = this.#screen;
    const isOwn = this.#own?.x === pointer.x && this.#own.y === pointer.y;
    if (cursor === undefined || isOwn) return undefined;
    const { width, height, hotX, hotY } = cursor;
    return { x: pointer.x - hotX, y: pointer.y - hotY, width, height };
  }

  /** Draws the pointer into the pixels of a region. */
  draw(region: Region, pixels: Buffer): void {
    const covered = this.region;
    const { cursor, pointer } = this.#screen;
    if (covered === undefined || cursor === undefined || !intersects(covered, region)) return;
    drawCursor(pixels, region, cursor, pointer.x, pointer.y);
  }
}
