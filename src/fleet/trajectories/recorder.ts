import { createHash } from 'node:crypto';
import type { TRAJECTORY_ENDS } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import { Queue } from '../../lib/async/queue.js';
import type { Picture } from '../../screen/types.js';
import { publicMessage } from '../errors/public-message.js';
import type { TrajectoryFolder } from './folder.js';
import { lowDisk, reached, type TrajectoryLimits } from './limits.js';
import { type RecordedAction, written } from './recorded-action.js';

export type EndReason = (typeof TRAJECTORY_ENDS)[number];

export interface RecorderParts {
  readonly folder: TrajectoryFolder;
  readonly limits: TrajectoryLimits;
  /** Takes a PNG of the screen, with `settle` when it does not change any more. */
  capture(settle: 'settle' | 'now', signal?: AbortSignal): Promise<Picture>;
  /** Bytes that are free on the disk. */
  freeBytes(): Promise<number>;
  /** Makes a snapshot after each `every` steps. */
  readonly saving?: {
    readonly every: number;
    save(name: string): Promise<unknown>;
  };
  /** Called when the recorder has to end by itself. */
  onOver(reason: EndReason, message: string): void;
}

interface Step {
  readonly type: 'step';
  readonly step: number;
  readonly at: number;
  readonly took: number;
  readonly action: Record<string, unknown>;
  readonly outcome: string;
  readonly before: string | null;
}

/** Writes the actions of a computer, with the screen before and after each, while they are performed. */
export class Recorder {
  readonly #parts: RecorderParts;
  readonly #startedAt = performance.now();
  /** Captures and writes, one after the other. */
  readonly #work = new Queue();
  readonly #names = new Map<string, string>();
  /** Steps that have no picture after them yet. */
  #waiting: Step[] = [];
  #settling: AbortController | undefined;
  #screen = { width: 0, height: 0 };
  #isOver = false;
  #ending: Promise<void> | undefined;
  #begun = 0;
  /** Actions that were written. */
  steps = 0;
  bytes = 0;
  /** Snapshots of the computer that were made meanwhile. */
  snapshots = 0;
  /** Why one could not be made; no other is tried. */
  snapshotError: string | undefined;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  get pictures(): number {
    return this.#names.size;
  }

  /** Writes the first line, with the first picture. */
  async begin(header: object): Promise<void> {
    const picture = await this.#picture('now');
    const line = { type: 'trajectory', version: 1, ...header };
    await this.#append({ ...line, screen: { ...this.#screen }, picture });
  }

  /** Performs `work`, and records the action. What goes wrong with the recording only ends that. */
  async step<T>(action: RecordedAction, work: () => Promise<T>): Promise<T> {
    if (this.#isOver) return work();
    this.#settling?.abort();
    this.#begun += 1;
    const step = this.#begun;
    const before = await this.#show('now');
    this.#complete(before);
    const at = this.#seconds();
    let outcome = 'ok';
    try {
      const result = await work();
      if ((result as { success?: unknown } | undefined)?.success === false) outcome = 'failed';
      return result;
    } catch (error) {
      outcome = error instanceof ApiError ? error.code : 'internal';
      throw error;
    } finally {
      const took = round(this.#seconds() - at);
      const line = { at, took, action: written(action, this.#screen), outcome, before };
      if (!this.#isOver) {
        this.#waiting.push({ type: 'step', step, ...line });
        if (this.#savesAfter(step)) await this.#saveAfter(step);
        else this.#settle();
      }
    }
  }

  /** A snapshot was made by a client, or after a step: a line says which step it followed. */
  async snapshotMade(name: string, step = this.#begun): Promise<void> {
    if (this.#isOver) return;
    this.snapshots += 1;
    await this.#write({ type: 'snapshot', step, at: this.#seconds(), name });
  }

  #savesAfter(step: number): boolean {
    const { saving } = this.#parts;
    return saving !== undefined && this.snapshotError === undefined && step % saving.every === 0;
  }

  /** Makes the snapshot of a step when the screen has settled. The action has its result already. */
  async #saveAfter(step: number): Promise<void> {
    this.#complete(await this.#show('settle'));
    const name = `step-${step}`;
    try {
      await this.#parts.saving?.save(name);
      await this.snapshotMade(name, step);
    } catch (error) {
      this.snapshotError = publicMessage(error);
      const line = { type: 'snapshot', step, at: this.#seconds(), name };
      await this.#write({ ...line, error: this.snapshotError });
    }
  }

  #write(line: object): Promise<void> {
    return this.#work.run(() => this.#append(line)).catch((error: unknown) => this.#fail(error));
  }

  /** Completes the last steps and writes the last line. */
  end(reason: EndReason, message?: string): Promise<void> {
    this.#ending ??= this.#end(reason, message).catch(() => undefined);
    return this.#ending;
  }

  async #end(reason: EndReason, message?: string): Promise<void> {
    this.#settling?.abort();
    const isThere = reason !== 'computer' && reason !== 'service';
    const isOpen = this.#waiting.length > 0 && isThere && !this.#isOver;
    this.#complete(isOpen ? await this.#show('now') : null);
    const more = message === undefined ? {} : { message };
    const last = { type: 'end', at: this.#seconds(), reason, ...more };
    this.#isOver = true;
    try {
      await this.#work.run(() => this.#append(last));
    } finally {
      await this.#parts.folder.close();
    }
  }

  /** Completes the waiting steps once the screen has settled, unless another step begins before. */
  #settle(): void {
    const settling = new AbortController();
    this.#settling?.abort();
    this.#settling = settling;
    void this.#show('settle', settling.signal).then((picture) => {
      if (!settling.signal.aborted) this.#complete(picture);
    });
  }

  #complete(after: string | null): void {
    const lines = this.#waiting;
    this.#waiting = [];
    if (lines.length === 0) return;
    this.steps += lines.length;
    const { limits, onOver, freeBytes } = this.#parts;
    this.#work
      .run(async () => {
        for (const line of lines) await this.#append({ ...line, after });
        if ((await freeBytes()) < limits.freeDisk) onOver('limit', lowDisk(limits));
      })
      .catch((error: unknown) => this.#fail(error));
    const message = reached(this, limits);
    if (message !== undefined) onOver('limit', message);
  }

  /** The name of a picture of the screen; null if it cannot be taken. */
  #show(when: 'settle' | 'now', signal?: AbortSignal): Promise<string | null> {
    return this.#work
      .run(() => this.#picture(when, signal))
      .catch((error: unknown) => {
        // A screen that does not answer leaves a gap; a folder that cannot be written is the end.
        if (!(error instanceof ApiError) && !signal?.aborted) this.#fail(error);
        return null;
      });
  }

  async #picture(when: 'settle' | 'now', signal?: AbortSignal): Promise<string> {
    const { data, width, height } = await this.#parts.capture(when, signal);
    signal?.throwIfAborted();
    this.#screen = { width, height };
    const hash = createHash('sha256').update(data).digest('base64');
    const known = this.#names.get(hash);
    if (known !== undefined) return known;
    const name = await this.#parts.folder.addPicture(this.#names.size + 1, data);
    this.#names.set(hash, name);
    this.bytes += data.length;
    return name;
  }

  async #append(line: object): Promise<void> {
    this.bytes += await this.#parts.folder.append(line);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.onOver('failure', `The trajectory cannot be written: ${publicMessage(error)}`);
  }

  #seconds(): number {
    return round((performance.now() - this.#startedAt) / 1000);
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
