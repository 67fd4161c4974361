import { offScreen } from './errors.js';
import { contains } from './framebuffer.js';
import type { Connection } from './rfb/connection.js';
import { pointerEvent } from './rfb/messages.js';
import type { Button, ClickInput, DragInput, ScrollInput } from './types.js';
import { pause } from './wait.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Bits of the pointer event's button mask (RFB 7.5.5). */
const BUTTONS: Readonly<Record<Button, number>> = { left: 1, middle: 2, right: 4 };
const WHEEL: Readonly<Record<ScrollInput['direction'], number>> = {
  up: 8,
  down: 16,
  left: 32,
  right: 64,
};

/**
 * Milliseconds between the parts of a double click. Far below the 250 ms within which toolkits
 * look for one, but not zero: Chromium takes two presses with the same time stamp for one.
 */
const MULTI_CLICK_MS = 15;
/** Milliseconds between two points of a drag. */
const DRAG_STEP_MS = 10;
/** Points of a drag that takes no time: programs want to see motion before they start one. */
const MIN_DRAG_STEPS = 5;
/** Emulated pointers are polled by the guest: a press must outlast a poll. */
const POLLED_MS = 30;

/** The mouse. Keeps where it put the pointer, and releases every button it pressed. */
export class Pointer {
  readonly #connection: Connection;
  #at: Point;
  /** Called whenever the pointer is put elsewhere. */
  onMove: (at: Point) => void = () => {};

  /** `at`: where the pointer is known to be; a display server starts with it in the middle. */
  constructor(connection: Connection, at?: Point) {
    this.#connection = connection;
    const { width, height } = connection.framebuffer.size;
    this.#at = {
      x: Math.min(at?.x ?? width >> 1, width - 1),
      y: Math.min(at?.y ?? height >> 1, height - 1),
    };
  }

  /** Where the pointer was last put; on a new connection, where it is presumed. */
  get at(): Point {
    return this.#at;
  }

  /** A point in whole pixels. Throws ApiError `off_screen` if it is none of the screen's. */
  locate(x: number, y: number): Point {
    const point = { x: Math.round(x), y: Math.round(y) };
    const { size } = this.#connection.framebuffer;
    if (contains(size, { ...point, width: 1, height: 1 })) return point;
    throw offScreen(`the point ${x},${y}`, size);
  }

  /**
   * Makes this client the one that moves the pointer, without moving it. TigerVNC paints the
   * pointer into the picture of a client that did not put it where it is
   * (VNCSConnectionST::needRenderedCursor), and looks again only when it has moved: one pixel
   * aside and back. `lookBack` lets the server notice the one before the other.
   */
  async claim(lookBack: () => Promise<void>): Promise<void> {
    const { x, y } = this.locate(this.#at.x, this.#at.y);
    this.move({ x: x > 0 ? x - 1 : x + 1, y });
    await lookBack();
    this.move({ x, y });
    await lookBack();
  }

  move(to: Point): void {
    this.#send(to, 0);
  }

  /** One event of a person's mouse: where it is and, by the bits of RFB, what it holds down. */
  event(to: Point, buttons: number): void {
    this.#send(to, buttons);
  }

  /** Milliseconds that a press has to last for the guest to see it. */
  get holdMs(): number {
    return this.#pollMs;
  }

  async click(input: ClickInput, signal?: AbortSignal): Promise<void> {
    const at = this.locate(input.x, input.y);
    const gap = Math.max(this.#pollMs, input.clicks > 1 ? MULTI_CLICK_MS : 0);
    await this.#whilePressing(async () => {
      this.move(at);
      for (let click = 0; click < input.clicks; click++) {
        if (gap > 0) await pause(gap, signal);
        this.#send(at, BUTTONS[input.button]);
        if (gap > 0) await pause(gap, signal);
        this.#send(at, 0);
      }
    });
  }

  async drag(input: DragInput, signal?: AbortSignal): Promise<void> {
    const points = input.points.map(([x, y]) => this.locate(x, y));
    const steps = Math.max(MIN_DRAG_STEPS, Math.floor(input.durationMs / DRAG_STEP_MS));
    const path = interpolate(points, steps);
    const button = BUTTONS[input.button];
    const start = performance.now();
    await this.#whilePressing(async () => {
      this.move(path[0] ?? this.#at);
      if (this.#pollMs > 0) await pause(this.#pollMs, signal);
      this.#send(this.#at, button);
      for (const [index, point] of path.entries()) {
        const due = start + (input.durationMs * index) / (path.length - 1) - performance.now();
        if (due > 1) await pause(due, signal);
        else signal?.throwIfAborted();
        this.#send(point, button);
      }
      await this.#connection.flush(signal);
      if (this.#pollMs > 0) await pause(this.#pollMs, signal);
      this.#send(this.#at, 0);
    });
  }

  async scroll(input: ScrollInput, signal?: AbortSignal): Promise<void> {
    const at = input.at === undefined ? this.#at : this.locate(input.at.x, input.at.y);
    await this.#whilePressing(async () => {
      this.move(at);
      for (let step = 0; step < input.amount; step++) {
        signal?.throwIfAborted();
        this.#send(at, WHEEL[input.direction]);
        if (this.#pollMs > 0) await pause(this.#pollMs, signal);
        this.#send(at, 0);
        if (this.#pollMs > 0) await pause(this.#pollMs, signal);
      }
    });
  }

  #send(at: Point, buttons: number): void {
    const moved = at.x !== this.#at.x || at.y !== this.#at.y;
    this.#at = at;
    if (moved) this.onMove(at);
    this.#connection.send(pointerEvent(at.x, at.y, buttons));
  }

  get #pollMs(): number {
    return this.#connection.can.fences ? 0 : POLLED_MS;
  }

  async #whilePressing(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (this.#connection.isOpen) this.#send(this.#at, 0);
      throw error;
    }
  }
}

/** `steps` + 1 points or more along the line through `points`: all of them, evenly filled up. */
export function interpolate(points: readonly Point[], steps: number): Point[] {
  const lengths = points.slice(1).map((point, index) => distance(points[index] ?? point, point));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const path = points.slice(0, 1);
  for (const [index, to] of points.slice(1).entries()) {
    const from = points[index] ?? to;
    const share = total === 0 ? 1 / lengths.length : (lengths[index] ?? 0) / total;
    const parts = Math.max(1, Math.round(steps * share));
    for (let part = 1; part <= parts; part++) {
      const done = part / parts;
      path.push({
        x: Math.round(from.x + (to.x - from.x) * done),
        y: Math.round(from.y + (to.y - from.y) * done),
      });
    }
  }
  return path;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
