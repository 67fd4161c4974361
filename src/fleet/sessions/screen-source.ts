import type { Source } from '../../broadcast/index.js';
import { onAbort } from '../../lib/async/abort.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Screen, VideoFrame } from '../../screen/types.js';
import type { SharedConnection } from './shared-connection.js';

/** Milliseconds between attempts to reconnect. */
const RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** Give up reconnecting after this many milliseconds. */
const GONE_MS = 60_000;

/**
 * Frames of a computer's screen, also while its connection is being reopened: then the last frame
 * stays. While the source is open, the computer counts as in use.
 */
export class ScreenSource implements Source {
  readonly #connection: SharedConnection<Screen>;
  readonly #intervalMs: number;
  readonly #ending = new AbortController();
  #frame: VideoFrame;

  private constructor(connection: SharedConnection<Screen>, intervalMs: number, frame: VideoFrame) {
    this.#connection = connection;
    this.#intervalMs = intervalMs;
    this.#frame = frame;
  }

  /** Resolves with the first frame. `onGone` is called when the screen is lost permanently. */
  static open(
    connection: SharedConnection<Screen>,
    fps: number,
    onGone: (reason: unknown) => void,
  ): Promise<ScreenSource> {
    const intervalMs = 1000 / fps;
    return new Promise((resolve, reject) => {
      connection
        .use(async (screen) => {
          const source = new ScreenSource(connection, intervalMs, screen.videoFrame(intervalMs));
          resolve(source);
          await source.#provideFrames(screen);
          // After this use has ended, so that the shared connection can reconnect.
          void source.#reconnect().catch(onGone);
        })
        .catch(reject);
    });
  }

  get frame(): VideoFrame {
    return this.#frame;
  }

  close(): void {
    this.#ending.abort();
    this.#frame.stop();
  }

  /** Reconnects whenever the screen is lost. */
  async #reconnect(): Promise<void> {
    const { signal } = this.#ending;
    let lostAt = performance.now();
    let pause = RETRY_MS;
    while (!signal.aborted) {
      try {
        await this.#connection.use(async (screen) => {
          if (signal.aborted) return;
          this.#frame.stop();
          this.#frame = screen.videoFrame(this.#intervalMs);
          pause = RETRY_MS;
          await this.#provideFrames(screen);
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

  /** Resolves when the connection or this source is closed. */
  #provideFrames(screen: Screen): Promise<void> {
    const { signal } = this.#ending;
    return new Promise((resolve) => {
      let dispose = () => {};
      const end = () => {
        screen.off('close', end);
        dispose();
        resolve();
      };
      screen.once('close', end);
      dispose = onAbort(signal, end);
      if (!screen.open) end();
    });
  }
}
