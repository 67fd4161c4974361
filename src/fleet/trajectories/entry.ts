import type { TrajectoryFolder } from './folder.js';
import type { EndReason, Recorder } from './recorder.js';
import type { Stored } from './stored.js';

interface Recording {
  readonly recorder: Recorder;
  /** Ends the timer and the listeners. */
  dispose(): void;
}

/** The trajectory of a computer: its files, and its recorder until it has ended. */
export class Entry {
  readonly folder: TrajectoryFolder;
  #stored: Stored;
  #recording: Recording | undefined;
  /** When it ended or was found (performance.now): the wall clock may jump. */
  #keptFrom = performance.now();

  constructor(folder: TrajectoryFolder, stored: Stored) {
    this.folder = folder;
    this.#stored = stored;
  }

  /** Its state, with what was recorded until now. */
  get stored(): Stored {
    if (this.#recording === undefined) return this.#stored;
    const { steps, pictures, bytes, snapshots, snapshotError } = this.#recording.recorder;
    const saved = {
      ...(snapshots > 0 && { snapshots }),
      ...(snapshotError !== undefined && { snapshot_error: snapshotError }),
    };
    return { ...this.#stored, steps, pictures, bytes, ...saved };
  }

  /** Undefined once it has ended. */
  get recorder(): Recorder | undefined {
    return this.#recording?.recorder;
  }

  /** Milliseconds since it ended or was found. */
  get keptMs(): number {
    return performance.now() - this.#keptFrom;
  }

  begin(recording: Recording): void {
    this.#recording = recording;
  }

  /** Ends the recording; without effect on one that has ended. Throws if the state cannot be saved. */
  async end(reason: EndReason, message?: string): Promise<void> {
    const recording = this.#recording;
    if (recording === undefined) return;
    recording.dispose();
    await recording.recorder.end(reason, message);
    // Another end may have come first.
    if (this.#recording === undefined) return;
    this.#stored = {
      ...this.stored,
      ended_at: new Date().toISOString(),
      end_reason: reason,
      ...(message === undefined ? {} : { message }),
    };
    this.#recording = undefined;
    this.#keptFrom = performance.now();
    await this.folder.saveState(this.#stored);
  }
}
