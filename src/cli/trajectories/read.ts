import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileTooLargeError, readBounded } from '../../lib/fs/read-bounded.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { cannotRead } from '../errors/file-errors.js';

/** The file of lines in a trajectory's directory. */
export const LINES = 'trajectory.jsonl';
/** Names of its pictures; no others are read or written. */
export const PICTURE_NAME = /^pictures\/\d{4,6}\.png$/;
/** Bytes of the lines, and of a picture, at most. */
const MOST_LINES = 64 * 2 ** 20;
const MOST_PICTURE = 64 * 2 ** 20;
const VERSION = 1;

/** An action of a batch, or `set_clipboard`. The service checks its fields. */
export interface StepAction {
  readonly action: string;
  readonly [field: string]: unknown;
}

export interface Step {
  readonly step: number;
  /** Seconds since the recording started. */
  readonly at: number;
  readonly took: number;
  readonly action: StepAction;
  /** `ok`, `failed`, or the code of the error with which the action was refused. */
  readonly outcome: string;
  /** Names of pictures; null where the screen did not answer. */
  readonly before: string | null;
  readonly after: string | null;
}

/** A snapshot of the computer that was made after a step, by its name. */
export type SavedSteps = ReadonlyMap<string, number>;

export interface TrajectoryFiles {
  readonly directory: string;
  readonly screen: { readonly width: number; readonly height: number };
  readonly steps: readonly Step[];
  readonly snapshots: SavedSteps;
}

/** Reads and checks a trajectory's directory: its lines, and that its pictures are there. */
export async function readTrajectory(directory: string, shown: string): Promise<TrajectoryFiles> {
  const path = join(directory, LINES);
  const about = join(shown, LINES);
  if (!(await isFile(path))) {
    throw new UsageError(
      `${shown} is not a trajectory: it has no file ${LINES}`,
      'give the directory that vc computer record-run wrote; unpack an archive with: tar xf',
    );
  }
  const text = await readBounded(path, MOST_LINES).catch((cause: unknown) => {
    throw cause instanceof FileTooLargeError
      ? new CliError(`${about} cannot be read: ${cause.message}`)
      : cannotRead(about, cause);
  });
  const lines = text.toString('utf8').split('\n');
  const [first = '', ...others] = lines;
  // The last line is complete if a newline follows it.
  if (others.pop() !== '') throw broken(about, lines.length, 'is not complete');
  const { screen } = headerOf(first, about);
  const steps: Step[] = [];
  const snapshots = new Map<string, number>();
  for (const [index, line] of others.entries()) {
    const value = parse(line, about, index + 2);
    if (value.type === 'step') steps.push(stepOf(value, about, index + 2));
    const { type, name, step, error } = value;
    if (type !== 'snapshot' || error !== undefined) continue;
    if (typeof name !== 'string' || !Number.isSafeInteger(step)) {
      throw broken(about, index + 2, 'is not a snapshot');
    }
    snapshots.set(name, Number(step));
  }
  if (steps.length === 0) throw new UsageError(`${shown} has no steps`);
  steps.sort((one, other) => one.step - other.step);
  for (const { step, before, after } of steps) {
    for (const name of [before, after]) {
      if (name !== null) await checkPicture(join(directory, name), join(shown, name), step);
    }
  }
  return { directory, screen, steps, snapshots };
}

async function checkPicture(path: string, shown: string, step: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) {
    throw new UsageError(`the picture ${shown} of step ${step} is missing`);
  }
  if (found.size > MOST_PICTURE) {
    throw new UsageError(`the picture ${shown} of step ${step} is larger than 64 MiB`);
  }
}

function headerOf(line: string, about: string): Pick<TrajectoryFiles, 'screen'> {
  const { type, version, screen } = parse(line, about, 1);
  if (type !== 'trajectory') throw broken(about, 1, 'does not begin a trajectory');
  if (version !== VERSION) {
    const remedy = 'use a newer vc';
    throw new UsageError(`${about} has the version ${JSON.stringify(version)}`, remedy);
  }
  const { width, height } = (screen ?? {}) as { width?: unknown; height?: unknown };
  if (!isWhole(width) || !isWhole(height)) throw broken(about, 1, 'names no size of a screen');
  return { screen: { width, height } };
}

function stepOf(value: Record<string, unknown>, about: string, line: number): Step {
  const { step, at, took, action, outcome, before, after } = value;
  const isAction = typeof (action as { action?: unknown } | null)?.action === 'string';
  if (!isWhole(step) || !isTime(at) || !isTime(took) || !isAction || typeof outcome !== 'string') {
    throw broken(about, line, 'is not a step');
  }
  for (const name of [before, after]) {
    if (name === null || (typeof name === 'string' && PICTURE_NAME.test(name))) continue;
    const wrong = JSON.stringify(name)?.slice(0, 100);
    throw broken(about, line, `names the picture ${wrong}, which is none of the trajectory`);
  }
  return value as unknown as Step;
}

function parse(text: string, about: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw broken(about, line, 'is not a JSON object');
}

function broken(about: string, line: number, what: string): UsageError {
  return new UsageError(`line ${line} of ${about} ${what}`, 'copy the whole directory again');
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 1e6;
}

/** The steps after a snapshot of the trajectory, or after a step: `step-12`, `logged-in`, `12`. */
export function stepsFrom(
  { steps, snapshots, ...files }: TrajectoryFiles,
  from: string,
): TrajectoryFiles {
  const last = steps.at(-1)?.step ?? 0;
  const number = snapshots.get(from) ?? Number(/^(?:step-)?(\d{1,9})$/.exec(from)?.[1]);
  const left = steps.filter(({ step }) => step > number);
  if (left.length > 0) return { ...files, steps: left, snapshots };
  const names = [...snapshots.keys()].slice(0, 20).join(', ');
  const shown = JSON.stringify(from.slice(0, 64));
  throw new UsageError(
    Number.isNaN(number)
      ? `--from: the trajectory has no snapshot ${shown}`
      : `--from: no step follows ${shown}; the last is ${last}`,
    names === '' ? `give a step: --from 1 to ${last - 1}` : `its snapshots are: ${names}`,
  );
}
