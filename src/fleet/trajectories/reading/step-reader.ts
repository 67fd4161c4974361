import type { FileHandle } from 'node:fs/promises';
import type { Right } from '../../../contract/access/rights.js';
import type {
  TrajectoryStep,
  TrajectorySteps,
  TrajectoryStepsQuery,
} from '../../../contract/resources.js';
import { abortable } from '../../../lib/async/abort.js';
import { KeyedQueue } from '../../../lib/async/keyed-queue.js';
import { Queue } from '../../../lib/async/queue.js';
import { isCommand } from '../../../screen/input/keyboard/command.js';
import type { Entry } from '../entry.js';
import { shown } from '../stored.js';

/** Characters of a text that are shown; the files have all of it. */
const MOST_CHARACTERS = 2_000;
/** Entries of a list that are shown: points of a drag, names of keys, variables or secrets. */
const MOST_ENTRIES = 100;
/** What a key that may only look sees, besides points: numbers and words of closed sets. */
const PLAIN: readonly string[] = `
  action x y start_x start_y end_x end_y scale button clicks direction amount delta_x delta_y
  duration repeat hold_ms delay_ms timeout background`
  .trim()
  .split(/\s+/);
/** Texts of which such a key sees the length. */
const MEASURED: readonly string[] = ['text', 'command', 'code'];

type Fields = Record<string, unknown>;

/** A line of the file as a step; undefined for the first and the last line, and one that is damaged. */
function shownStep(line: string, rights: Right): TrajectoryStep | undefined {
  let value: Fields;
  try {
    value = JSON.parse(line) as Fields;
  } catch {
    return undefined;
  }
  if (value.type !== 'step') return undefined;
  const { type: _, action, ...step } = value as Fields & { action: Fields };
  const shown = rights === 'look' ? withoutTexts(action) : shortened(action);
  return { ...(step as Omit<TrajectoryStep, 'action'>), action: shown };
}

function shortened(action: Fields): Fields {
  const fields: Fields = {};
  for (const [name, value] of Object.entries(action)) {
    // Values of environment variables are often secrets.
    if (name === 'env') fields.env = Object.keys(value ?? {}).map(short);
    else if (name === 'until') fields.until = short(JSON.stringify(value));
    else if (typeof value === 'string') fields[name] = short(value);
    else if (typeof value !== 'object') fields[name] = value;
    if (Array.isArray(value)) fields[name] = value.map(short);
    if (Array.isArray(fields[name])) fields[name] = fields[name].slice(0, MOST_ENTRIES);
  }
  return fields;
}

function short<T>(value: T): T | string {
  if (typeof value !== 'string' || value.length <= MOST_CHARACTERS) return value;
  return `${value.slice(0, MOST_CHARACTERS)}…`;
}

function withoutTexts(action: Fields): Fields {
  const fields: Fields = {};
  for (const [name, value] of Object.entries(action)) {
    if (PLAIN.includes(name)) fields[name] = value;
    if (MEASURED.includes(name) && typeof value === 'string') {
      fields[`${name}_length`] = value.length;
    }
  }
  // Of a drag; nothing else has a list of points.
  if (Array.isArray(action.path)) fields.path = action.path.slice(0, MOST_ENTRIES);
  if (typeof action.key === 'string' && isCommand(action.key)) fields.key = action.key;
  return shortened(fields);
}

/** Bytes that are read at once. */
const PIECE = 64 * 1024;
/** Bytes of the file, and characters of the answer, after which a page ends. */
const MOST_READ = 2 * 2 ** 20;
const MOST_SHOWN = 256 * 1024;
const NEWLINE = 10;

type Page = Pick<TrajectorySteps, 'steps' | 'next_offset'>;

export type StepsWanted = TrajectoryStepsQuery & {
  /** Those of the reader. */
  readonly rights: Right;
};

/** Reads steps of trajectories, one page at a time: a line may have 8 MiB. The owners take turns. */
export class StepReader {
  /** Of each owner one page waits in `#reading`; the others wait here. */
  readonly #ofOwners = new KeyedQueue();
  readonly #reading = new Queue();

  /** The steps from a byte of the file on, or from the next line if it is inside of one. */
  async read(
    entry: Entry | undefined,
    wanted: StepsWanted,
    signal?: AbortSignal,
  ): Promise<TrajectorySteps> {
    if (entry === undefined) return { trajectory: null, steps: [], next_offset: 0 };
    const read = () => this.#reading.run(() => openPage(entry, wanted), signal);
    const page = await abortable(this.#ofOwners.run(entry.stored.owner_id, read), signal);
    return { trajectory: shown(entry.stored), ...page };
  }
}

async function openPage({ folder }: Entry, wanted: StepsWanted): Promise<Page> {
  const file = await folder.openLines();
  try {
    return await readPage(file, wanted);
  } finally {
    await file.close();
  }
}

async function readPage(file: FileHandle, { offset, limit, rights }: StepsWanted): Promise<Page> {
  const steps: TrajectoryStep[] = [];
  let [next_offset, characters] = [offset, 0];
  // The newline before `offset` belongs to the line before, of which nothing else is left then.
  let isFirst = offset > 0;
  for await (const { line, end } of completeLines(file, Math.max(0, offset - 1))) {
    next_offset = end;
    const step = isFirst ? undefined : shownStep(line.toString(), rights);
    isFirst = false;
    if (step !== undefined) {
      steps.push(step);
      characters += JSON.stringify(step).length;
    }
    if (steps.length >= limit || characters >= MOST_SHOWN || end - offset >= MOST_READ) break;
  }
  return { steps, next_offset };
}

/** The lines from a byte on, and where each ends; not one that is still being written. */
async function* completeLines(
  file: FileHandle,
  from: number,
): AsyncGenerator<{ readonly line: Buffer; readonly end: number }> {
  let parts: Buffer[] = [];
  for (let at = from; ; ) {
    const buffer = Buffer.allocUnsafe(PIECE);
    const { bytesRead } = await file.read(buffer, 0, PIECE, at);
    if (bytesRead === 0) return;
    let rest = buffer.subarray(0, bytesRead);
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]);
      parts = [];
      at += end + 1;
      yield { line, end: at };
      rest = rest.subarray(end + 1);
    }
    parts.push(rest);
    at += rest.length;
  }
}
