import type { Source } from '../broadcast/index.js';
import type { Film, Screen } from '../screen/types.js';
import type { Link } from './link.js';
import { sleep } from './time.js';

/** Milliseconds between attempts to get a lost screen back. */
const RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** A screen that does not come back for so long, in milliseconds, is gone. */
const GONE_MS = 60_000;

/**
 * Pictures of a computer's screen that outlive the connection to it: while that is made anew, the
 * last picture stays. As long as the source is open, the computer counts as in use.
 */
export class ScreenSource implements Source {
  readonly #link: Link<Screen>;
  readonly #intervalMs: number;
  readonly #ending = new AbortController();
  #film: Film;

  private constructor(link: Link<Screen>, intervalMs: number, film: Film) {
    this.#link = link;
    this.#intervalMs = intervalMs;
    this.#film = film;
  }

  /** Resolves when there is a first picture. `onGone` is called when the screen is lost for good. */
  static open(
    link: Link<Screen>,
    fps: number,
    onGone: (reason: unknown) => void,
  ): Promise<ScreenSource> {
    const intervalMs = 1000 / fps;
    return new Promise((resolve, reject) => {
      link
        .use(async (screen) => {
          const source = new ScreenSource(link, intervalMs, screen.film(intervalMs));
          resolve(source);
          await source.#filmed(screen);
          // Not within this use: the link is free to connect anew.
          void source.#goOn().catch(onGone);
        })
        .catch(reject);
    });
  }

  get film(): Film {
    return this.#film;
  }

  close(): void {
    this.#ending.abort();
    this.#film.stop();
  }

  /** Gets the screen back as often as it is lost. */
  async #goOn(): Promise<void> {
    const { signal } = this.#ending;
    let lostAt = performance.now();
    let pause = RETRY_MS;
    while (!signal.aborted) {
      try {
        await this.#link.use(async (screen) => {
          if (signal.aborted) return;
          this.#film.stop();
          this.#film = screen.film(this.#intervalMs);
          pause = RETRY_MS;
          await this.#filmed(screen);
          lostAt = performance.now();
        }, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (performance.now() - lostAt > GONE_MS) throw error;
      }
      await sleep(pause, signal).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_RETRY_MS);
    }
  }

  /** Resolves when the connection ends or nobody needs it any more. */
  #filmed(screen: Screen): Promise<void> {
    const { signal } = this.#ending;
    return new Promise((resolve) => {
      const end = () => {
        screen.off('close', end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      screen.once('close', end);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted || !screen.open) end();
    });
  }
}
