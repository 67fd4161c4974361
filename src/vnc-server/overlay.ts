import { intersects, type Point } from '../screen/geometry.js';
import { drawCursor } from '../screen/model/cursor.js';
import type { Region, Screen } from '../screen/types.js';

/**
 * Draws the pointer into a viewer's frames when another client moved it, so that people see where
 * an agent points. The browser draws the viewer's own pointer.
 */
export class Overlay {
  readonly #screen: Screen;
  /** Where the viewer itself last moved the pointer. */
  #own: Point | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Call when the viewer moves the pointer. */
  claim(at: Point): void {
    this.#own = at;
  }

  /** The region that the pointer covers; undefined while the viewer's browser draws it. */
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
