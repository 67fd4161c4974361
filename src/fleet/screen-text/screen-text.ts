import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import { Queue } from '../../lib/async/queue.js';
import type { Region, Screen, Size } from '../../screen/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';
import { blocksOf } from './blocks.js';
import { contrastOf, type Ink, inkOf, withChanges } from './ink.js';
import { type Cut, cut, groupsOf, type ReadWord, readBlocks } from './montage.js';
import { prepare } from './tesseract.js';

/** Milliseconds for one reading of a large screen full of text. */
const READING_MS = 60_000;
/** Programs that read, in the whole service. */
const MOST_READERS = 2;

/** The text on a screen: lines of words, from top to bottom. */
export type Lines = readonly (readonly ReadWord[])[];

/** Lines of a block, their places relative to it, by the pixels of the block. */
type Known = ReadonlyMap<string, Lines>;

interface Reading {
  readonly lines: Lines;
  readonly known: Known;
  readonly contrast: Ink;
}

/** A reading before, and what has changed since. */
interface Before {
  /** What is known of it and of the one before it: a caret comes and goes. */
  readonly known: Known;
  /** Undefined if the whole picture may have changed. */
  readonly contrast?: Ink | undefined;
  readonly changes?: readonly Region[] | undefined;
}

interface Reader {
  readonly queue: Queue;
  /** Of the screen connection that it was read from: versions of another one mean nothing. */
  last?: Reading & { readonly screen: Screen; readonly version: number };
  /** What was known before the last reading. */
  before?: Known;
}

/** Reads the text on the screens of computers, what has not changed only once. */
export class ScreenText {
  readonly #readers = new WeakMap<Session, Reader>();
  readonly #limit = new ConcurrencyLimit(MOST_READERS);

  /** The text that is now on the screen. Rejects with ApiError `unsupported` without tesseract. */
  async read(session: Session, signal?: AbortSignal): Promise<Lines> {
    const reader = this.#readers.get(session) ?? { queue: new Queue() };
    this.#readers.set(session, reader);
    const late = 'The text on the screen was not read in time.';
    return withGuestDeadline(READING_MS, late, signal, (until) =>
      session.screen.use(
        (screen) => reader.queue.run(() => this.#read(reader, screen, until), until),
        until,
      ),
    );
  }

  /** The same for one who reads again when the screen has changed. */
  async watch(session: Session, signal?: AbortSignal): Promise<Lines> {
    const last = this.#readers.get(session)?.last;
    const lines = await this.read(session, signal);
    // A screen that has changed is likely to change again.
    if (this.#readers.get(session)?.last !== last) await prepare(signal);
    return lines;
  }

  async #read(reader: Reader, screen: Screen, signal: AbortSignal): Promise<Lines> {
    const version = await screen.refresh(signal);
    const last = reader.last?.screen === screen ? reader.last : undefined;
    if (last?.version === version) return last.lines;
    const { size } = screen;
    const [pixels] = await screen.pixels([{ x: 0, y: 0, ...size }], signal);
    if (pixels === undefined) {
      throw new ApiError('guest_failed', 'The screen changed its size while it was read.', {
        remedy: 'Try again.',
      });
    }
    const before = {
      known: new Map([...(reader.before ?? []), ...(reader.last?.known ?? [])]),
      contrast: last?.contrast,
      changes: last && screen.changedSince(last.version),
    };
    const read = () => readPicture(pixels, size, before, signal);
    const reading = await this.#limit.run(read);
    reader.before = reader.last?.known ?? new Map();
    reader.last = { ...reading, screen, version };
    return reading.lines;
  }
}

/** Reads a picture (red, green, blue, unused; without gaps), except the blocks that are known. */
export async function readPicture(
  pixels: Buffer,
  size: Size,
  { known, contrast: last, changes }: Before = { known: new Map() },
  signal?: AbortSignal,
): Promise<Reading> {
  signal?.throwIfAborted();
  const isSame = last?.width === size.width && last.height === size.height;
  const contrast =
    isSame && changes ? await withChanges(last, pixels, changes) : await contrastOf(pixels, size);
  const ink = await inkOf(contrast);
  const blocks = (await blocksOf(ink)).map((block) => {
    const piece = cut(ink, block);
    return { piece, key: keyOf(piece) };
  });
  const read = new Map<string, Lines>();
  const unread = new Map<string, Cut>();
  for (const { piece, key } of blocks) {
    const lines = known.get(key);
    if (lines) read.set(key, lines);
    else unread.set(key, piece);
  }
  const keys = new Map([...unread].map(([key, piece]) => [piece, key]));
  for (const group of groupsOf([...unread.values()])) {
    const lines = await readBlocks(group, signal);
    for (const [index, piece] of group.entries()) {
      const key = keys.get(piece);
      if (key) read.set(key, moved(lines[index] ?? [], -piece.x, -piece.y));
    }
  }
  const lines = blocks.flatMap(({ piece, key }) => moved(read.get(key) ?? [], piece.x, piece.y));
  return { lines: joined(lines), known: read, contrast };
}

function keyOf({ width, pixels }: Cut): string {
  return `${width} ${createHash('sha1').update(pixels).digest('base64')}`;
}

function moved(lines: Lines, x: number, y: number): ReadWord[][] {
  return lines.map((line) => line.map((word) => ({ ...word, x: word.x + x, y: word.y + y })));
}

/** Joins the parts of a line that are close to each other. */
function joined(parts: ReadWord[][]): Lines {
  const lines: ReadWord[][] = [];
  const byLeft = (part: readonly ReadWord[]) => part[0]?.x ?? 0;
  for (const part of parts.toSorted((a, b) => byLeft(a) - byLeft(b))) {
    const [first] = part;
    const line = first && lines.find((each) => continues(each.at(-1), first));
    if (line) line.push(...part);
    else lines.push([...part]);
  }
  return lines.sort((a, b) => (a[0]?.y ?? 0) - (b[0]?.y ?? 0) || byLeft(a) - byLeft(b));
}

function continues(last: ReadWord | undefined, next: ReadWord): boolean {
  if (last === undefined) return false;
  const most = Math.max(last.height, next.height);
  const gap = next.x - last.x - last.width;
  const apart = Math.abs(next.y + next.height / 2 - last.y - last.height / 2);
  return gap > -most && gap < 2 * most && apart < most / 2;
}
