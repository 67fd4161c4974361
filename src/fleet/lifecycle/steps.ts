import { ApiError } from '../../contract/errors.js';
import { Queue } from '../../lib/async/queue.js';

export type StepKind = 'start' | 'restart' | 'reset' | 'stop' | 'remove' | 'move';

interface Step {
  readonly kind: StepKind;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** A step was aborted because another one replaced it. */
export class Superseded extends ApiError {
  constructor(message: string) {
    super('conflict', message);
  }
}

function stopping(): Superseded {
  return new Superseded('The service is stopping; it continues at its next start.');
}

/** Steps of one machine's lifecycle, run one at a time. */
export class Steps {
  readonly #queue = new Queue();
  readonly #onFailed: (error: unknown) => void;
  #current: Step | undefined;
  #epoch = 0;
  /** The service stops; new steps are refused. */
  #isDetached = false;

  /** `onFailed` is called when a step fails that was not aborted. */
  constructor(onFailed: (error: unknown) => void) {
    this.#onFailed = onFailed;
  }

  /** True while a step runs or waits. */
  get busy(): boolean {
    return this.#current !== undefined;
  }

  /** Changes when a step begins or ends. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Resolves when the current step has succeeded or failed. */
  async settled(): Promise<void> {
    await this.#current?.done.catch(() => undefined);
  }

  /** The result of the current step if it is one of `kinds`. */
  current(...kinds: readonly StepKind[]): Promise<void> | undefined {
    const step = this.#current;
    return step && kinds.includes(step.kind) ? step.done : undefined;
  }

  /** Runs `task` while no step runs. */
  between<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#queue.run(task, signal);
  }

  /** Aborts the current step: the computer was `how`, for example "stopped". */
  supersede(how: string): void {
    this.#current?.abort.abort(new Superseded(`The computer was ${how} meanwhile.`));
  }

  /** Aborts the current step and refuses new ones: the service stops. */
  detach(): void {
    this.#isDetached = true;
    this.#current?.abort.abort(stopping());
  }

  run(kind: StepKind, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const abort = new AbortController();
    if (this.#isDetached) abort.abort(stopping());
    this.#epoch += 1;
    const done = this.#queue
      .run(() => {
        abort.signal.throwIfAborted();
        return work(abort.signal);
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted) this.#onFailed(error);
        throw abort.signal.aborted ? abort.signal.reason : error;
      })
      .finally(() => {
        this.#epoch += 1;
        if (this.#current?.abort === abort) this.#current = undefined;
      });
    // Ignore rejections that no caller awaits; the failure is recorded.
    done.catch(() => undefined);
    this.#current = { kind, abort, done };
    return done;
  }
}
