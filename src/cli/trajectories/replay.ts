import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../client/client.js';
import type { ComputerParameters } from '../../client/http/address.js';
import type { BatchInput } from '../../contract/index.js';
import { sleep } from '../../lib/async/sleep.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import { compare, type Difference, isWithin, type Pixels } from './compare.js';
import { pointsOf } from './points.js';
import type { Step, StepAction, TrajectoryFiles } from './read.js';

/** Milliseconds between two looks at a screen that is not yet like the picture. */
const LOOK_MS = 250;
const SECRET = /\{\{secret:([^{}]*)\}\}/g;

export interface ReplayOptions {
  readonly client: Client;
  /** Path parameters of the computer. */
  readonly params: ComputerParameters;
  readonly signal: AbortSignal;
  /** Factor on the pauses between actions. */
  readonly speed: number;
  /** How long the screen may take to become like the picture. */
  readonly withinMs: number;
  /** How much of the screen may differ, in percent. */
  readonly tolerance: number;
  /** Names of secrets that texts may contain. */
  readonly secrets: readonly string[];
  onStep(step: Step): void;
}

/** The screen did not become like the recorded picture. */
export class ScreenDiffers extends CliError {
  override readonly name = 'ScreenDiffers';
  readonly step: number;
  readonly difference: Difference;
  /** Paths of the pictures. */
  readonly recorded: string;
  readonly actual: string;

  constructor(
    step: Step,
    where: 'before' | 'after',
    seen: { difference: Difference; recorded: string; actual: string },
  ) {
    const { screen, near } = seen.difference;
    const more = near === 0 ? '' : `, ${percent(near)} around the pointer`;
    super(
      `${where} step ${step.step} (${describe(step.action)}) the screen differs from the recording: ${percent(screen)} of it${more}`,
      {
        remedy: `compare the recorded picture ${seen.recorded} with the screen ${seen.actual}`,
        exitCode: ExitCode.differs,
        code: 'screen_differs',
      },
    );
    this.step = step.step;
    this.difference = seen.difference;
    this.recorded = seen.recorded;
    this.actual = seen.actual;
  }
}

/**
 * Carries out the actions of a trajectory with their pauses. Before each, and at the end, the screen
 * has to become like the recorded picture. Resolves to the number of actions.
 */
export async function replay(files: TrajectoryFiles, options: ReplayOptions): Promise<number> {
  const { signal, speed, onStep } = options;
  const steps = files.steps.filter(({ outcome }) => outcome === 'ok' || outcome === 'failed');
  for (const step of steps) checkSecrets(step, options.secrets);
  await checkSize(files, options);
  /** Steps that run, with the end that they had in the recording. */
  let running: { readonly end: number; readonly done: Promise<void> }[] = [];
  let previous: { readonly at: number; readonly startedAt: number } | undefined;
  for (const step of steps) {
    for (const { done } of running.filter(({ end }) => end <= step.at)) await done;
    running = running.filter(({ end }) => end > step.at);
    if (previous !== undefined) {
      const due = previous.startedAt + ((step.at - previous.at) * 1000) / speed;
      await sleep(Math.max(0, due - performance.now()), signal);
    }
    await untilLike(files, step, 'before', options);
    onStep(step);
    previous = { at: step.at, startedAt: performance.now() };
    const done = perform(step, options);
    // Awaited later.
    done.catch(() => undefined);
    running.push({ end: step.at + step.took, done });
  }
  for (const { done } of running) await done;
  const last = steps.at(-1);
  if (last !== undefined) await untilLike(files, last, 'after', options);
  return steps.length;
}

/** `click at 640, 400`, without texts. */
export function describe({ action, x, y, key }: StepAction): string {
  if (typeof x === 'number' && typeof y === 'number') return `${action} at ${x}, ${y}`;
  return action === 'key' && typeof key === 'string' ? `key ${key}` : action;
}

async function perform({ step, action }: Step, options: ReplayOptions): Promise<void> {
  const { client, params, signal, secrets } = options;
  const failed = (message: string, remedy?: string) =>
    new CliError(`step ${step} (${describe(action)}): ${message}`, remedy ? { remedy } : {});
  if (action.action === 'set_clipboard') {
    const body = { text: String(action.text) };
    await client.request('setClipboard', { params, body, signal });
    return;
  }
  const { secrets: _, ...fields } = action;
  const named = secretsIn(action).filter((name) => secrets.includes(name));
  const sent = named.length === 0 ? fields : { ...fields, secrets: named };
  const body = { actions: [sent as unknown as BatchInput] };
  const { results } = await client.request('batch', { params, body, signal });
  const [result] = results;
  if (result !== undefined && 'code' in result) throw failed(result.error, result.remedy);
}

/** Waits until the screen is like the picture. Throws ScreenDiffers. */
async function untilLike(
  files: TrajectoryFiles,
  step: Step,
  where: 'before' | 'after',
  options: ReplayOptions,
): Promise<void> {
  const name = step[where];
  if (name === null) return;
  const recorded = join(files.directory, name);
  const wanted = await decode(await readFile(recorded), recorded);
  const points = where === 'before' ? pointsOf(step.action) : [];
  const end = performance.now() + options.withinMs;
  for (;;) {
    const png = await screenOf(options);
    const seen = await decode(png, 'the screenshot');
    if (seen.width !== wanted.width || seen.height !== wanted.height) throw otherSize(wanted, seen);
    const difference = compare(wanted, seen, points);
    if (isWithin(difference, options.tolerance)) return;
    if (performance.now() >= end) {
      const directory = await mkdtemp(join(tmpdir(), 'vc-replay-'));
      const actual = join(directory, `step-${step.step}-${where}.png`);
      await writeFile(actual, png);
      throw new ScreenDiffers(step, where, { difference, recorded, actual });
    }
    await sleep(LOOK_MS, options.signal);
  }
}

async function checkSize({ screen }: TrajectoryFiles, options: ReplayOptions): Promise<void> {
  const seen = await decode(await screenOf(options), 'the screenshot');
  if (seen.width !== screen.width || seen.height !== screen.height) throw otherSize(screen, seen);
}

function otherSize(recorded: Size, seen: Size): CliError {
  const size = ({ width, height }: Size) => `${width}x${height}`;
  return new CliError(
    `the trajectory is of a screen of ${size(recorded)}, but that of the computer is ${size(seen)}`,
    {
      remedy: `create one of the same size: vc create NAME --resolution ${size(recorded)}`,
      exitCode: ExitCode.differs,
      code: 'screen_differs',
    },
  );
}

type Size = Pick<Pixels, 'width' | 'height'>;

async function screenOf({ client, params, signal }: ReplayOptions): Promise<Buffer> {
  const { data } = await client.requestBytes('screenshot', 'image/png', {
    params,
    query: { format: 'png' },
    signal,
  });
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

async function decode(png: Buffer, shown: string): Promise<Pixels> {
  const { default: sharp } = await import('sharp');
  try {
    const image = sharp(png, { limitInputPixels: 8192 * 8192 })
      .removeAlpha()
      .toColourspace('srgb');
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    if (info.channels !== 3) throw new Error('it has no colors');
    return { data, width: info.width, height: info.height };
  } catch (cause) {
    throw new UsageError(`${shown} is not a picture that can be read: ${String(cause)}`);
  }
}

function secretsIn({ action, text }: StepAction): string[] {
  if (action !== 'type' || typeof text !== 'string') return [];
  return [...text.matchAll(SECRET)].map(([, name = '']) => name);
}

function checkSecrets({ step, action }: Step, allowed: readonly string[]): void {
  const missing = secretsIn(action).find((name) => !allowed.includes(name));
  if (missing === undefined) return;
  const shown = JSON.stringify(missing.slice(0, 64));
  throw new UsageError(
    `step ${step} types the secret ${shown}, which is not allowed`,
    'allow it if you trust the trajectory: --secret NAME',
  );
}

function percent(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}
