import type { Size, VideoFrame } from '../screen/types.js';

/** Longest backlog in seconds; an older one is skipped. */
const MOST_OWED_SECONDS = 5;

/** Provides the current frame: a new object after the screen has reconnected. */
export interface Source {
  readonly frame: VideoFrame;
}

/** Receives the frames; calls `taken` when the buffer may be reused. */
interface FrameSink {
  readonly size: Size;
  write(frame: Buffer, taken: () => void): void;
}

interface FramePacerOptions {
  readonly fps: number;
  readonly source: Source;
  readonly sink: FrameSink;
  /** Called once, after the pacer has stopped, when the frame's size differs from the sink's. */
  onResize(): void;
  /** Returns milliseconds; performance.now by default. */
  readonly now?: () => number;
}

/**
 * Writes frames at a steady rate, so that the frame count equals the time. Writes one at a time:
 * when the encoder was busy, the frames due meanwhile follow with the newest content. Does not copy
 * an unchanged frame again.
 */
export class FramePacer {
  readonly #options: FramePacerOptions;
  readonly #now: () => number;
  readonly #buffer: Buffer;
  #begun: number;
  #written = 0;
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** The frame in the buffer. */
  #shown: { readonly frame: VideoFrame; readonly version: number } | undefined;

  constructor(options: FramePacerOptions) {
    const { width, height } = options.sink.size;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#buffer = Buffer.alloc((width * height * 3) / 2);
    this.#begun = this.#now();
    this.#timer = setTimeout(this.#tick, 0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  readonly #tick = (): void => {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    const { fps } = this.#options;
    const elapsed = this.#now() - this.#begun;
    const due = Math.floor((elapsed * fps) / 1000) + 1;
    // After a long pause, continue the video's clock from here.
    if (due - this.#written > MOST_OWED_SECONDS * fps) {
      this.#begun += ((due - this.#written - 1) * 1000) / fps;
      this.#tick();
      return;
    }
    if (!this.#isBusy && this.#written < due) this.#write();
    const next = this.#begun + (due * 1000) / fps;
    this.#timer = setTimeout(this.#tick, Math.max(1, next - this.#now()));
  };

  #write(): void {
    const { source, sink, onResize } = this.#options;
    const { frame } = source;
    if (frame.size.width !== sink.size.width || frame.size.height !== sink.size.height) {
      this.stop();
      onResize();
      return;
    }
    const { version } = frame;
    if (this.#shown?.frame !== frame || this.#shown.version !== version) {
      frame.read(this.#buffer);
      this.#shown = { frame, version };
    }
    this.#isBusy = true;
    this.#written += 1;
    sink.write(this.#buffer, () => {
      this.#isBusy = false;
      // Frames that became due meanwhile follow at once.
      this.#tick();
    });
  }
}
