import { ApiError } from '../../contract/errors.js';
import { sleep } from '../../lib/async/sleep.js';
import { offScreen } from '../errors.js';
import { contains, type Point } from '../geometry.js';
import type { Connection } from '../rfb/connection.js';
import { pointerEvent } from '../rfb/messages.js';
import { interpolate } from './drag-path.js';
import type {
  Button,
  ButtonInput,
  ClickInput,
  DragInput,
  ExtraButtons,
  ScrollInput,
} from './mouse-input.js';

/** Bits of the pointer event's button mask; see {@link pointerEvent}. */
const BUTTONS: Readonly<Record<Button, number>> = {
  left: 1,
  middle: 2,
  right: 4,
  back: 128,
  forward: 256,
};
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

/**
 * The mouse. Tracks the pointer's position, and releases every button it pressed except those of
 * {@link Pointer.press}.
 */
export class Pointer {
  readonly #connection: Connection;
  #at: Point;
  /** Mask of the buttons that stay pressed between actions. */
  #held = 0;
  /** The same for buttons that only {@link ExtraButtons} presses. */
  readonly #heldExtra = new Set<Button>();
  readonly #extra: ExtraButtons | undefined;
  /** Called whenever the pointer moves. */
  onMove: (at: Point) => void = () => {};

  /**
   * `at`: the pointer's position; by default the middle, where a display server starts. `extra` is
   * used for the buttons back and forward if the server does not read them.
   */
  constructor(connection: Connection, at?: Point, extra?: ExtraButtons) {
    this.#extra = extra;
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

  /** True while a button stays pressed. */
  get holding(): boolean {
    return this.#held !== 0 || this.#heldExtra.size > 0;
  }

  /** Presses a button, which stays pressed until {@link release} or {@link releaseAll}. */
  async press({ button, at }: ButtonInput, signal?: AbortSignal): Promise<void> {
    if (!this.#isExtra(button)) return this.#hold(at, this.#held | this.#bit(button));
    await this.#usingExtra('mousedown', button, at ?? this.#at, signal);
    this.#heldExtra.add(button);
  }

  /** Releases a button; one that is not pressed stays so. */
  async release({ button, at }: ButtonInput, signal?: AbortSignal): Promise<void> {
    if (!this.#isExtra(button)) return this.#hold(at, this.#held & ~this.#bit(button));
    if (this.#heldExtra.delete(button)) {
      await this.#usingExtra('mouseup', button, at ?? this.#at, signal);
    }
  }

  /** Releases every button that stays pressed. */
  async releaseAll(): Promise<void> {
    if (this.#held !== 0) {
      this.#held = 0;
      this.event(this.#at, 0);
    }
    for (const button of [...this.#heldExtra]) await this.release({ button });
  }

  #isExtra(button: Button): boolean {
    return (
      BUTTONS[button] >= 128 && !this.#connection.can.mouseButtons && this.#extra !== undefined
    );
  }

  async #usingExtra(
    action: 'click' | 'mousedown' | 'mouseup',
    button: Button,
    at: Point,
    signal?: AbortSignal,
  ): Promise<void> {
    this.move(this.locate(at.x, at.y));
    await this.#connection.flush(signal);
    await this.#extra?.(action, button === 'back' ? 8 : 9, signal);
  }

  async #hold(to: Point | undefined, buttons: number): Promise<void> {
    if (to !== undefined) this.move(this.locate(to.x, to.y));
    if (this.holdMs > 0) await sleep(this.holdMs);
    this.#held = buttons;
    this.event(this.#at, 0);
    if (this.holdMs > 0) await sleep(this.holdMs);
  }

  /** The button's bit. Throws ApiError `unsupported` if the computer has no such button. */
  #bit(button: Button): number {
    const bit = BUTTONS[button];
    if (bit < 128 || this.#connection.can.mouseButtons) return bit;
    throw new ApiError('unsupported', `The mouse of this computer has no ${button} button.`, {
      remedy: `Press the key alt+${button === 'back' ? 'Left' : 'Right'} instead.`,
    });
  }

  /** Sends one event; `buttons` are pressed in addition to those that stay pressed. */
  event(to: Point, buttons: number): void {
    const moved = to.x !== this.#at.x || to.y !== this.#at.y;
    this.#at = to;
    if (moved) this.onMove(to);
    this.#connection.send(pointerEvent(to.x, to.y, buttons | this.#held));
  }

  /** Milliseconds that a press must last for the guest to notice it. */
  get holdMs(): number {
    return this.#connection.can.fences ? 0 : POLLED_MS;
  }

  async click(input: ClickInput, signal?: AbortSignal): Promise<void> {
    const at = this.locate(input.x, input.y);
    if (this.#isExtra(input.button)) {
      for (let click = 0; click < input.clicks; click++) {
        await this.#usingExtra('click', input.button, at, signal);
      }
      return;
    }
    const button = this.#bit(input.button);
    const gap = Math.max(this.holdMs, input.clicks > 1 ? MULTI_CLICK_MS : 0);
    await this.#whilePressing(async () => {
      this.move(at);
      for (let click = 0; click < input.clicks; click++) {
        if (gap > 0) await sleep(gap, signal);
        this.event(at, button);
        if (gap > 0) await sleep(gap, signal);
        this.event(at, 0);
      }
    });
  }

  async drag(input: DragInput, signal?: AbortSignal): Promise<void> {
    const points = input.points.map(([x, y]) => this.locate(x, y));
    const steps = Math.max(MIN_DRAG_STEPS, Math.floor(input.durationMs / DRAG_STEP_MS));
    const path = interpolate(points, steps);
    const button = this.#bit(input.button);
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
