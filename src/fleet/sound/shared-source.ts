import { ApiError } from '../../contract/errors.js';
import { onAbort } from '../../lib/async/abort.js';

export interface Listener<T> {
  take(item: T): void;
  /** The source has ended; there are no more items. */
  failed(error: unknown): void;
}

/** Runs until its signal is aborted, and calls `emit` with each item. */
type Run<T> = (emit: (item: T) => void, signal: AbortSignal) => Promise<void>;

/** A source that runs while anyone listens to it, and all listeners get the same items. */
export class SharedSource<T> {
  readonly #run: Run<T>;
  readonly #listeners = new Set<Listener<T>>();
  #running: AbortController | undefined;

  constructor(run: Run<T>) {
    this.#run = run;
  }

  /** Gives the items to `listener` until the function returned is called. */
  listen(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    if (this.#running === undefined) this.#start();
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#running?.abort(new ApiError('conflict', 'Nobody listens any more.'));
      this.#running = undefined;
    };
  }

  /** Resolves when `listener` got its first item; rejects if the source ends before. */
  async opened(listener: Listener<T>, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      let isOpen = false;
      const stop = this.listen({
        take: (item) => {
          if (!isOpen) open();
          listener.take(item);
        },
        failed: (error) => {
          dispose();
          if (isOpen) listener.failed(error);
          else reject(error);
        },
      });
      const dispose = onAbort(signal, (reason) => {
        stop();
        reject(reason);
      });
      const open = () => {
        isOpen = true;
        dispose();
        resolve(stop);
      };
    });
  }

  #start(): void {
    const running = new AbortController();
    this.#running = running;
    const end = (error: unknown) => {
      if (this.#running !== running) return;
      this.#running = undefined;
      const listeners = [...this.#listeners];
      this.#listeners.clear();
      for (const { failed } of listeners) failed(error);
    };
    const emit = (item: T) => {
      if (this.#running === running) for (const { take } of this.#listeners) take(item);
    };
    this.#run(emit, running.signal).then(
      () => end(new ApiError('guest_failed', 'The sound of the computer has ended.')),
      end,
    );
  }
}
