import { area, Damage } from '../screen/model/damage.js';
import type { Region, Screen, Size } from '../screen/types.js';
import type { ViewerChannel } from './channel.js';
import type { Encoder } from './encoder.js';
import type { Overlay } from './overlay.js';
import * as messages from './server-messages.js';
import { Unsent } from './unsent.js';

/** Milliseconds without changes until lossy parts are sent again exactly. */
const REFINE_MS = 250;

interface FramesOptions {
  readonly screen: Screen;
  readonly overlay: Overlay;
  readonly channel: ViewerChannel;
  readonly encoder: Encoder;
  /** The size announced to the viewer. */
  readonly size: Size;
  onFailure(error: unknown): void;
}

/**
 * Sends the changes of one screen to one viewer. Encodes a frame only when the viewer has requested
 * it and the previous one has been sent, so a slow viewer gets fewer frames instead of a queue.
 */
export class Frames {
  readonly #options: FramesOptions;
  readonly #unsent: Unsent;
  /** Parts sent lossily, to be sent again when the screen is stable. */
  readonly #rough = new Damage();
  #size: Size;
  #covered: Region | undefined;
  #cursorIsNew = true;
  #wanted = false;
  #sending = false;
  #running: Promise<void> = Promise.resolve();
  #closed = false;
  readonly #ending = new AbortController();
  #sent: { readonly at: number; readonly bytes: number } | undefined;
  #refining: NodeJS.Timeout | undefined;
  /** Pixels of the current frame. */
  #copies: Buffer = Buffer.alloc(0);
  #used = 0;

  constructor(options: FramesOptions) {
    this.#options = options;
    this.#size = options.size;
    const { screen } = options;
    this.#unsent = new Unsent(screen);
    screen.on('damage', this.#onDamage);
    screen.on('resize', this.#onResize);
    screen.on('pointer', this.#onPointer);
    screen.on('cursor', this.#onCursor);
  }

  /** The size last announced to the viewer. */
  get size(): Size {
    return this.#size;
  }

  /** Continues for a viewer that showed another screen before; `wanted` is its pending request. */
  start(wanted: Region | 'changes' | undefined): void {
    this.#unsent.add({ x: 0, y: 0, ...this.#options.screen.size });
    if (wanted !== undefined) this.#wanted = true;
    this.#pump();
  }

  /** Starts over after the viewer was told the size: it has no pixels yet. */
  restart(size: Size): void {
    this.#size = size;
    this.#unsent.add({ x: 0, y: 0, ...size });
  }

  /**
   * Handles a request for changes, or for a region unconditionally; for the whole screen if another
   * request is not answered yet.
   */
  request(wanted: Region | 'changes'): void {
    if (wanted !== 'changes') {
      // Regions of several unanswered requests are not collected: scattered ones cost much to join.
      const whole = { x: 0, y: 0, ...this.#options.screen.size };
      this.#unsent.add(this.#wanted ? whole : wanted);
    }
    if (this.#sent !== undefined && !this.#sending) {
      this.#options.encoder.took(this.#sent.bytes, performance.now() - this.#sent.at);
      this.#sent = undefined;
    }
    this.#wanted = true;
    this.#pump();
  }

  /** Stops after the current frame; resolves to the viewer's pending request. */
  async close(): Promise<'changes' | undefined> {
    this.#closed = true;
    this.#ending.abort();
    clearTimeout(this.#refining);
    const { screen } = this.#options;
    screen.off('damage', this.#onDamage);
    screen.off('resize', this.#onResize);
    screen.off('pointer', this.#onPointer);
    screen.off('cursor', this.#onCursor);
    const waits = this.#wanted || this.#sending;
    await this.#running;
    return waits ? 'changes' : undefined;
  }

  /** A part of the buffer for pixels of the current frame. */
  readonly #bufferOf = (bytes: number) => {
    const from = this.#used;
    this.#used += bytes;
    if (this.#used <= this.#copies.length) return this.#copies.subarray(from, this.#used);
    // The next frame has room for as much.
    this.#copies = Buffer.allocUnsafeSlow(this.#used);
    return Buffer.allocUnsafe(bytes);
  };

  readonly #onDamage = () => this.#pump();

  readonly #onResize = () => {
    this.#unsent.restart();
    this.#rough.clear();
    this.#pump();
  };

  readonly #onPointer = () => {
    this.#trackPointer();
    this.#pump();
  };

  readonly #onCursor = () => {
    this.#cursorIsNew = true;
    this.#onPointer();
  };

  /** Marks the pointer's old and new regions as changed. */
  #trackPointer(): void {
    if (this.#covered !== undefined) this.#unsent.add(this.#covered);
    this.#covered = this.#options.overlay.region;
    if (this.#covered !== undefined) this.#unsent.add(this.#covered);
  }

  #pump(): void {
    if (!this.#wanted || this.#sending || this.#closed) return;
    this.#run(() => this.#frame());
  }

  #run(work: () => Promise<void>): void {
    this.#sending = true;
    this.#running = work()
      .catch((error: unknown) => {
        if (!this.#closed) this.#options.onFailure(error);
      })
      .then(() => {
        this.#sending = false;
        if (!this.#unsent.isEmpty || this.#cursorIsNew || this.#sizeIsNew) this.#pump();
      });
  }

  get #sizeIsNew(): boolean {
    const { width, height } = this.#options.screen.size;
    return width !== this.#size.width || height !== this.#size.height;
  }

  async #frame(): Promise<void> {
    const { screen } = this.#options;
    // Messages of the viewer that came together are handled first.
    await Promise.resolve();
    this.#ending.signal.throwIfAborted();
    if (this.#sizeIsNew) {
      // Announced in an update of its own, before pixels of the new size.
      this.#size = screen.size;
      await this.#send([messages.resized(this.#size)]);
      return;
    }
    await this.#show(this.#unsent.take(), 'any');
  }

  /** Sends the regions, and the pointer's image if it is new. */
  async #show(regions: readonly Region[], fidelity: 'any' | 'exact'): Promise<void> {
    const rectangles = await this.#rectangles(regions, fidelity);
    const cursor = this.#newCursor;
    this.#cursorIsNew = false;
    if (cursor !== undefined) rectangles.push(cursor);
    if (rectangles.length > 0) await this.#send(rectangles);
  }

  async #rectangles(changed: readonly Region[], fidelity: 'any' | 'exact'): Promise<Buffer[]> {
    const { screen, encoder, overlay } = this.#options;
    if (changed.length === 0) return [];
    const regions = encoder.tiles(changed);
    encoder.begin(regions.reduce((sum, region) => sum + area(region), 0));
    this.#used = 0;
    const copies = await screen.pixels(regions, undefined, this.#bufferOf);
    const rectangles: Buffer[] = [];
    for (const [index, region] of regions.entries()) {
      const pixels = copies[index];
      if (pixels === undefined) continue;
      overlay.draw(region, pixels);
      const { data, rough } = await encoder.encode(region, pixels, fidelity);
      rectangles.push(data);
      if (rough) this.#rough.add(region);
    }
    this.#refineLater();
    return rectangles;
  }

  /** The pointer's image, if the viewer can show it and has not got it. */
  get #newCursor(): Buffer | undefined {
    const { screen, encoder } = this.#options;
    if (!this.#cursorIsNew || screen.cursor === undefined) return undefined;
    if (!encoder.knows(messages.ViewEncoding.vmwareCursor)) return undefined;
    return messages.cursorRectangle(screen.cursor);
  }

  async #send(rectangles: readonly Buffer[]): Promise<void> {
    this.#wanted = false;
    const data = messages.update(rectangles);
    this.#sent = { at: performance.now(), bytes: data.length };
    await this.#options.channel.send(data);
  }

  /** Sends lossy parts again exactly after a while without changes. */
  #refineLater(): void {
    clearTimeout(this.#refining);
    if (this.#rough.isEmpty || this.#closed) return;
    this.#refining = setTimeout(() => this.#refine(), REFINE_MS);
  }

  #refine(): void {
    if (!this.#wanted || this.#sending) {
      this.#refineLater();
      return;
    }
    this.#run(async () => {
      await this.#show(this.#rough.take(this.#options.screen.size), 'exact');
    });
  }
}
