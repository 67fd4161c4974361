/** Signals that ask a command to end. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Handles Ctrl-C: aborts {@link signal}, unless a command captures it. */
export class Interrupts {
  readonly #controller = new AbortController();
  #handler: ((signal: StopSignal) => void) | undefined;

  /** Aborted by the first interruption that is not captured. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Calls `handler` on interruptions instead; the returned function ends that. */
  capture(handler: (signal: StopSignal) => void): () => void {
    this.#handler = handler;
    return () => {
      if (this.#handler === handler) this.#handler = undefined;
    };
  }

  trigger(signal: StopSignal): void {
    if (this.#handler !== undefined) this.#handler(signal);
    else this.#controller.abort();
  }

  /** Listens for the process's signals; the returned function ends that. */
  listen(): () => void {
    const listener = (signal: NodeJS.Signals) => this.trigger(signal as StopSignal);
    for (const name of stopSignals) process.on(name, listener);
    return () => {
      for (const name of stopSignals) process.off(name, listener);
    };
  }
}
