import type { Film, Size } from '../screen/types.js';

/** Frames that are owed at most, in seconds: what is older was never seen and is left out. */
const MOST_OWED_SECONDS = 5;

/** Where pictures come from. The film changes when the screen's connection is made anew. */
export interface Source {
  readonly film: Film;
}

/** What takes the pictures; `taken` is called when the picture may be written over. */
export interface PictureSink {
  readonly size: Size;
  write(picture: Buffer, taken: () => void): void;
}

export interface FeedOptions {
  readonly fps: number;
  readonly source: Source;
  readonly sink: PictureSink;
  /** Called once when the film has another size than the sink takes; the feed has stopped then. */
  onResize(): void;
  /** Milliseconds; the process's steady clock if left out. */
  readonly now?: () => number;
}

/**
 * Hands pictures over at a steady rate, so that the encoder's count of frames is the time. One
 * picture is under way at a time: while the encoder is busy none is made, and the frames it is
 * owed then get the newest picture. A picture that has not changed is not even copied again.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #now: () => number;
  readonly #picture: Buffer;
  #begun: number;
  #written = 0;
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** What the picture holds. */
  #shown: { readonly film: Film; readonly version: number } | undefined;

  constructor(options: FeedOptions) {
    const { width, height } = options.sink.size;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#picture = Buffer.alloc((width * height * 3) / 2);
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
    // After a long pause the clock of the video goes on from here.
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
    const { film } = source;
    if (film.size.width !== sink.size.width || film.size.height !== sink.size.height) {
      this.stop();
      onResize();
      return;
    }
    const { version } = film;
    if (this.#shown?.film !== film || this.#shown.version !== version) {
      film.read(this.#picture);
      this.#shown = { film, version };
    }
    this.#isBusy = true;
    this.#written += 1;
    sink.write(this.#picture, () => {
      this.#isBusy = false;
      // Frames that became due meanwhile follow at once.
      this.#tick();
    });
  }
}
