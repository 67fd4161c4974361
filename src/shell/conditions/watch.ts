import { StringDecoder } from 'node:string_decoder';
import type { Condition } from '../../contract/actions/actions.js';
import { ApiError } from '../../contract/errors.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Shell } from '../types.js';
import { PROGRAM } from './program.js';

/** What a look at a condition found. */
export interface GuestState {
  /** Undefined if that is not known. */
  readonly holds: boolean | undefined;
  /** What was seen, for people. */
  readonly seen: string;
}

export interface WatchRequest {
  /** Each with `window`, `file`, `port`, `command` or `url`; `gone` is not looked at. */
  readonly conditions: readonly Condition[];
  readonly seconds: number;
  /** Called with the states in the order of `conditions` when one has changed. */
  onStates(states: readonly GuestState[]): void;
}

/** Exit code of a shell that found no program. */
const NO_PROGRAM = 127;
/** Longest line that is read: the states of all conditions. */
const MOST_LINE = 64 * 1024;
/** Seconds that the program outlives its time, in which the service ends it. */
const MARGIN_SECONDS = 10;
/** Milliseconds between two lines, so that a guest that prints without end costs little. */
const PAUSE_MS = 50;

/** Watches conditions by a program in the guest, until `signal` is aborted. Never resolves before. */
export async function watchConditions(
  shell: Shell,
  { conditions, seconds, onStates }: WatchRequest,
  signal: AbortSignal,
): Promise<never> {
  // On standard input, so that no list of processes shows the conditions. They are JSON in a Python
  // string: Python has no `true`, `false` and `null`.
  const program = [
    'import json, time',
    `conditions = json.loads(${JSON.stringify(JSON.stringify(conditions))})`,
    `end = time.monotonic() + ${seconds + MARGIN_SECONDS}`,
    PROGRAM,
  ].join('\n');
  const child = await shell.spawn({ argv: ['python3', '-IS', '-', '# vc: wait'] }, signal);
  child.stdin.end(program);
  child.stderr.resume();
  for await (const line of linesOf(child.stdout)) {
    onStates(parse(line, conditions.length));
    await sleep(PAUSE_MS, signal);
  }
  const { code } = await child.exit;
  signal.throwIfAborted();
  if (code === NO_PROGRAM) {
    throw new ApiError('unsupported', 'The computer has no Python 3 to look at conditions.', {
      remedy: 'Wait for the screen: until "stable" or "change"',
    });
  }
  // It outlives the wait.
  throw failed();
}

/** The lines of an output; a longer one than the program prints is a failure. */
async function* linesOf(output: AsyncIterable<unknown>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of output) {
    const lines = `${rest}${decoder.write(chunk as Buffer)}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MOST_LINE) throw failed();
    yield* lines;
  }
}

/** The states in a line of the program. */
function parse(line: string, count: number): GuestState[] {
  let states: unknown;
  try {
    states = JSON.parse(line);
  } catch (error) {
    throw failed(error);
  }
  if (!Array.isArray(states) || states.length !== count) throw failed();
  return states.map((state) => {
    const [holds, seen] = Array.isArray(state) ? state : [];
    if (typeof seen !== 'string') throw failed();
    if (holds === null) return { holds: undefined, seen };
    if (typeof holds !== 'boolean') throw failed();
    return { holds, seen };
  });
}

function failed(cause?: unknown): ApiError {
  const message = 'The program that looks at the conditions failed in the computer.';
  return new ApiError('guest_failed', message, { cause });
}
