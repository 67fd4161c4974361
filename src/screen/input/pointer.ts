import type { MOUSE_BUTTONS, SCROLL_DIRECTIONS } from '../../contract/constants.js';
import { sleep } from '../../lib/async/sleep.js';
import { offScreen } from '../errors.js';
import { contains, type Point } from '../geometry.js';
import type { Connection } from '../rfb/connection.js';
import { pointerEvent } from '../rfb/messages.js';

type Button = (typeof MOUSE_BUTTONS)[number];

export interface ClickInput {
  readonly x: number;
  readonly y: number;
  readonly button: Button;
  /** 1 to 3. */
  readonly clicks: number;
  /** Key combinations to hold during the click, as in `Screen.key`. */
  readonly keys: readonly string[];
}

export interface DragInput {
  /** At least two points: press on the first, release on the last. */
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly button: Button;
  /** Milliseconds from press to release. */
  readonly durationMs: number;
}

export interface ScrollInput {
  readonly direction: (typeof SCROLL_DIRECTIONS)[number];
  /** Wheel steps. */
  readonly amount: number;
  /** Where to scroll; the pointer's position by default. */
  readonly at?: { readonly x: number; readonly y: number };
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
 * Milliseconds between the presses of a double click. Far below the 250 ms limit of toolkits, but
 * not zero: Chromium treats two presses with the same time stamp as one.
 */
const MULTI_CLICK_MS = 15;
/** Milliseconds between two points of a drag. */
const DRAG_STEP_MS = 10;
/** Fewest motion events of a drag: programs need some motion to recognize one. */
const MIN_DRAG_STEPS = 5;
/** The guest polls an emulated pointer, so a press must last longer than one poll. */
const POLLED_MS = 30;

/** The mouse. Tracks the pointer's position, and releases every button it pressed. */
export class Pointer {
  readonly #connection: Connection;
  #at: Point;
  /** Called whenever the pointer moves. */
  onMove: (at: Point) => void = () => {};

  /** `at`: the pointer's position; by default the middle, where a display server starts. */
  constructor(connection: Connection, at?: Point) {
    this.#connection = connection;
    const { width, height } = connection.framebuffer.size;
    this.#at = {
      x: Math.min(at?.x ?? width >> 1, width - 1),
      y: Math.min(at?.y ?? height >> 1, height - 1),
    };
  }

  /** The pointer's last known position. */
  get at(): Point {
    return this.#at;
  }

  /** Rounds a point to whole pixels. Throws ApiError `off_screen` if it is outside the screen. */
  locate(x: number, y: number): Point {
    const point = { x: Math.round(x), y: Math.round(y) };
    const { size } = this.#connection.framebuffer;
    if (contains(size, { ...point, width: 1, height: 1 })) return point;
    throw offScreen(`The point ${x},${y}`, size);
  }

  /**
   * Makes this client the pointer's owner by moving it one pixel aside and back. TigerVNC draws
   * the pointer into the frames of a client that did not move it to its current position
   * (VNCSConnectionST::needRenderedCursor), and checks this only when the pointer moves.
   * `processed` resolves when the server has processed a move.
   */
  async claim(processed: () => Promise<void>): Promise<void> {
    const { x, y } = this.locate(this.#at.x, this.#at.y);
    this.move({ x: x > 0 ? x - 1 : x + 1, y });
    await processed();
    this.move({ x, y });
    await processed();
  }

  move(to: Point): void {
    this.event(to, 0);
  }

  /** Sends one event; `buttons` is RFB's bit mask of pressed buttons (RFB 7.5.5). */
  event(to: Point, buttons: number): void {
    const moved = to.x !== this.#at.x || to.y !== this.#at.y;
    this.#at = to;
    if (moved) this.onMove(to);
    this.#connection.send(pointerEvent(to.x, to.y, buttons));
  }

  /** Milliseconds that a press must last for the guest to notice it. */
  get holdMs(): number {
    return this.#connection.can.fences ? 0 : POLLED_MS;
  }

  async click(input: ClickInput, signal?: AbortSignal): Promise<void> {
    const at = this.locate(input.x, input.y);
    const gap = Math.max(this.holdMs, input.clicks > 1 ? MULTI_CLICK_MS : 0);
    await this.#whilePressing(async () => {
      this.move(at);
      for (let click = 0; click < input.clicks; click++) {
        if (gap > 0) await sleep(gap, signal);
        this.event(at, BUTTONS[input.button]);
        if (gap > 0) await sleep(gap, signal);
        this.event(at, 0);
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
      if (this.holdMs > 0) await sleep(this.holdMs, signal);
      this.event(this.#at, button);
      for (const [index, point] of path.entries()) {
        const due = start + (input.durationMs * index) / (path.length - 1) - performance.now();
        if (due > 1) await sleep(due, signal);
        else signal?.throwIfAborted();
        this.event(point, button);
      }
      await this.#connection.flush(signal);
      if (this.holdMs > 0) await sleep(this.holdMs, signal);
      this.event(this.#at, 0);
    });
  }

  async scroll(input: ScrollInput, signal?: AbortSignal): Promise<void> {
    const at = input.at === undefined ? this.#at : this.locate(input.at.x, input.at.y);
    await this.#whilePressing(async () => {
      this.move(at);
      for (let step = 0; step < input.amount; step++) {
        signal?.throwIfAborted();
        this.event(at, WHEEL[input.direction]);
        if (this.holdMs > 0) await sleep(this.holdMs, signal);
        this.event(at, 0);
        if (this.holdMs > 0) await sleep(this.holdMs, signal);
      }
    });
  }

  async #whilePressing(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (this.#connection.isOpen) this.event(this.#at, 0);
      throw error;
    }
  }
}

/** At least `steps` + 1 evenly spaced points along the line through `points`, including these. */
function interpolate(points: readonly Point[], steps: number): Point[] {
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
