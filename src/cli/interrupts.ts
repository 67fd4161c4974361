/** Signals that ask a command to end. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** What Ctrl-C does: aborts {@link signal}, unless a command has taken it over. */
export class Interrupts {
  readonly #controller = new AbortController();
  #handler: ((signal: StopSignal) => void) | undefined;

  /** Aborted by the first interruption that no command has taken over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Lets a command answer interruptions itself; the returned function gives them back. */
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

  /** Listens to the process's signals; the returned function ends that. */
  listen(): () => void {
    const listener = (signal: NodeJS.Signals) => this.trigger(signal as StopSignal);
    for (const name of stopSignals) process.on(name, listener);
    return () => {
      for (const name of stopSignals) process.off(name, listener);
    };
  }
}
