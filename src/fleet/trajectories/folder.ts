import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { writeFileAtomically, writeFileAtomicallySync } from '../../lib/fs/atomic-file.js';
import { TAR_END, tarHeader, tarPadding } from '../../lib/tar/write.js';
import { removedWhileRead } from './errors.js';

const LINES = 'trajectory.jsonl';
const PICTURES = 'pictures';
const STATE = 'state.json';
/** How the line of a step begins, after another line. */
const STEP = '\n{"type":"step"';
/** Bytes of a file that are read at once. */
const PIECE = 256 * 1024;

interface Counted {
  readonly steps: number;
  readonly pictures: number;
  readonly bytes: number;
  /** Bytes of the complete lines. */
  readonly linesLength: number;
}

/** The files of a trajectory: lines of JSON, pictures, and what the service keeps about them. */
export class TrajectoryFolder {
  readonly path: string;
  #lines: FileHandle | undefined;
  #length = 0;
  /** Open archives and pictures. */
  readonly #readers = new Set<Readable>();
  #archives = 0;
  #isRemoved = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes it anew, without what was there. */
  async create(): Promise<void> {
    await this.#delete();
    await mkdir(join(this.path, 'files', PICTURES), { recursive: true, mode: 0o700 });
    this.#length = 0;
    this.#lines = await open(join(this.path, 'files', LINES), 'wx', 0o600);
  }

  /** Appends a line; resolves to the number of bytes. */
  async append(line: object): Promise<number> {
    const data = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      await this.#lines?.appendFile(data);
    } catch (error) {
      // On a full disk the line is written in part.
      await this.#lines?.truncate(this.#length).catch(() => undefined);
      throw error;
    }
    this.#length += data.length;
    return data.length;
  }

  /** Writes a picture; resolves to its name in the trajectory. */
  async addPicture(number: number, data: Buffer): Promise<string> {
    const name = `${PICTURES}/${String(number).padStart(4, '0')}.png`;
    const path = join(this.path, 'files', name);
    try {
      await writeFile(path, data, { mode: 0o600 });
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
    return name;
  }

  /** No lines are appended any more. Idempotent. */
  async close(): Promise<void> {
    const lines = this.#lines;
    this.#lines = undefined;
    await lines?.close().catch(() => undefined);
  }

  async saveState(state: object): Promise<void> {
    await writeFileAtomically(join(this.path, STATE), Buffer.from(JSON.stringify(state)), {
      mode: 0o600,
    });
  }

  saveStateSync(state: object): void {
    writeFileAtomicallySync(join(this.path, STATE), Buffer.from(JSON.stringify(state)), {
      mode: 0o600,
    });
  }

  /** The text of the state as it was saved; undefined if there is none. */
  readState(): string | undefined {
    try {
      return readFileSync(join(this.path, STATE), 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Counts what a service that was killed has written; undefined if a file is missing. */
  count(): Counted | undefined {
    try {
      return this.#count();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #count(): Counted {
    const text = readFileSync(join(this.path, 'files', LINES));
    const length = text.lastIndexOf('\n') + 1;
    const directory = join(this.path, 'files', PICTURES);
    const names = readdirSync(directory);
    const sizes = names.map((name) => statSync(join(directory, name)).size);
    // Not as a string: there may be hundreds of MiB.
    const complete = text.subarray(0, length);
    let steps = 0;
    for (let at = complete.indexOf(STEP); at !== -1; at = complete.indexOf(STEP, at + 1))
      steps += 1;
    return {
      steps,
      pictures: names.length,
      bytes: sizes.reduce((sum, size) => sum + size, length),
      linesLength: length,
    };
  }

  /** Removes a line that was not completed. */
  truncateLines(length: number): void {
    truncateSync(join(this.path, 'files', LINES), length);
  }

  /** Opens its lines to read them. */
  openLines(): Promise<FileHandle> {
    return open(join(this.path, 'files', LINES));
  }

  /** Opens a picture; undefined if there is none of this name. A removal ends it with an error. */
  async openPicture(name: string): Promise<Readable | undefined> {
    if (!/^\d{4,6}\.png$/.test(name)) return undefined;
    const file = await open(join(this.path, 'files', PICTURES, name)).catch(() => undefined);
    if (file === undefined) return undefined;
    const picture = this.#track(file.createReadStream());
    if (this.#isRemoved) picture.destroy(removedWhileRead());
    return picture;
  }

  /** Archives that are being read. */
  get archives(): number {
    return this.#archives;
  }

  /** The files as a tar archive, as they are now. A removal ends it with an error. */
  archive(): Readable {
    const archive = this.#track(Readable.from(this.#packedFiles(), { objectMode: false }));
    this.#archives += 1;
    archive.once('close', () => {
      this.#archives -= 1;
    });
    return archive;
  }

  /** Removes it with all files. An open file would keep its bytes on the disk. */
  async remove(): Promise<void> {
    this.#isRemoved = true;
    await this.close();
    for (const reader of this.#readers) reader.destroy(removedWhileRead());
    await Promise.allSettled([...this.#readers].map((reader) => finished(reader)));
    await this.#delete();
  }

  async #delete(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  #track(reader: Readable): Readable {
    this.#readers.add(reader);
    reader.once('close', () => this.#readers.delete(reader));
    // It may end before the answer listens.
    reader.on('error', () => undefined);
    return reader;
  }

  async *#packedFiles(): AsyncGenerator<Buffer> {
    // The lines first: the pictures that they name are written before them.
    yield* this.#packed(LINES);
    const names = await readdir(join(this.path, 'files', PICTURES));
    for (const name of names.sort()) yield* this.#packed(`${PICTURES}/${name}`);
    yield TAR_END;
  }

  async *#packed(name: string): AsyncGenerator<Buffer> {
    const file = await open(join(this.path, 'files', name));
    try {
      const { size, mtime } = await file.stat();
      yield tarHeader(name, size, mtime);
      for (let at = 0; at < size; ) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE, size - at));
        const { bytesRead } = await file.read(piece, 0, piece.length, at);
        if (bytesRead === 0) throw new Error('a file of the trajectory was truncated');
        at += bytesRead;
        yield piece.subarray(0, bytesRead);
      }
      yield tarPadding(size);
    } finally {
      await file.close();
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
