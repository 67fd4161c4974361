import { Damage } from '../screen/model/damage.js';
import type { Region, Screen } from '../screen/types.js';

/** Pixels that take as long to encode as a further rectangle does. */
const RECTANGLE_WORK = 4096;

/** What has to be sent to one viewer: the screen's changes since the last time, and other regions. */
export class Unsent {
  readonly #screen: Screen;
  readonly #others = new Damage([], RECTANGLE_WORK);
  /** The version of the screen's changes up to which they were taken. */
  #taken: number;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#taken = screen.changes.version;
  }

  get isEmpty(): boolean {
    return this.#others.isEmpty && this.#screen.changes.version <= this.#taken;
  }

  add(region: Region): void {
    this.#others.add(region);
  }

  /** Replaces everything by the whole screen. */
  restart(): void {
    this.#taken = this.#screen.changes.version;
    this.#others.clear();
    this.#others.add(this.#whole);
  }

  /** Removes and returns all regions, clipped to the screen. */
  take(): Region[] {
    const { changes, size } = this.#screen;
    for (const region of changes.since(this.#taken) ?? [this.#whole]) this.#others.add(region);
    this.#taken = changes.version;
    return this.#others.take(size);
  }

  get #whole(): Region {
    return { x: 0, y: 0, ...this.#screen.size };
  }
}
