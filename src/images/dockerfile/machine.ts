import type { BaseImage } from './steps.js';

/** What a machine starts from: an image, or the disk that was saved after a step. */
export type Origin = { readonly image: BaseImage } | { readonly step: string };

/** The images, saved steps and machines of one owner on one engine. */
export interface BuildMachines {
  /** About how many milliseconds a save takes. Steps that took less are saved with the next one. */
  readonly saveMs: number;
  /** An image of the owner or the service; undefined if there is none. */
  findImage(name: string, signal?: AbortSignal): Promise<BaseImage | undefined>;
  /** True if the disk after this step is saved and can be started from. */
  hasStep(key: string, signal?: AbortSignal): Promise<boolean>;
  /** Starts a machine that only this build uses, with a computer's rights, network and limits. */
  start(origin: Origin, signal?: AbortSignal): Promise<BuildMachine>;
}

/** All commands and files are root's unless said otherwise. */
export interface BuildMachine {
  /**
   * Runs a program without a terminal, and ends what it has left running. Returns its exit code, 128 and
   * more for a signal. See `userCommand` for what it is given to.
   */
  run(argv: readonly string[], options: RunOptions): Promise<number>;
  /** Unpacks an archive at `/`, see `UNPACK`. Directories and links to them that exist stay. */
  put(archive: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>;
  /** An archive of an absolute path, see `packCommand`: of a file, or of what is in a directory. */
  read(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Saves its disk under a step's key, 64 hexadecimal digits, in place of one of the same key. The machine
   * runs on. Idempotent.
   */
  save(key: string, signal?: AbortSignal): Promise<void>;
  /** Removes the machine. Idempotent; not undone by an abort of the build. */
  close(): Promise<void>;
}

export interface RunOptions {
  /** `NAME[:GROUP]`, or ids; empty for root. */
  readonly user: string;
  /** All of its variables; `HOME` is the user's unless it is among them. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  readonly input?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly onOutput: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void;
  /** Ends the program. */
  readonly signal?: AbortSignal | undefined;
}
