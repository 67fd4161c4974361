import type * as actions from '../contract/actions.js';
import type { BatchAction, BatchResult } from '../contract/batch.js';
import { ApiError } from '../contract/errors.js';
import type { Settle } from '../contract/settle.js';
import type { Picture, Screen, Size } from '../screen/types.js';
import type { Shell } from '../shell/types.js';
import { checkBatch, pictureAnswer, runBatch } from './batch.js';
import * as gestures from './gestures.js';
import { type Gesture, gestureOf } from './gestures.js';
import type { Machines } from './machines.js';
import type { Queue } from './queue.js';
import type { Session } from './session.js';
import type { Store } from './store/index.js';
import type { ComputerRecord } from './store/records.js';
import { sleep, withDeadline } from './time.js';

const READY_WITHIN_MS = 60_000;
const INPUT_MS = 30_000;
const TIDY_MS = 2_000;
const SCREENSHOT_MS = 15_000;
/** On top of what a command may take: to reach the guest and to end the command. */
const COMMAND_MARGIN_MS = 15_000;

type Done = Promise<actions.ActionResult>;

/** Everything that is done with a running computer. */
export class Control {
  readonly #store: Store;
  readonly #machines: Machines;

  constructor(store: Store, machines: Machines) {
    this.#store = store;
    this.#machines = machines;
  }

  move(record: ComputerRecord, input: actions.Move, signal?: AbortSignal): Done {
    return this.#input(record, gestures.move(input), signal);
  }

  click(record: ComputerRecord, input: actions.Click, signal?: AbortSignal): Done {
    return this.#input(record, gestures.click(input), signal);
  }

  drag(record: ComputerRecord, input: actions.Drag, signal?: AbortSignal): Done {
    return this.#input(record, gestures.drag(input), signal);
  }

  scroll(record: ComputerRecord, input: actions.Scroll, signal?: AbortSignal): Done {
    return this.#input(record, gestures.scroll(input), signal);
  }

  type(record: ComputerRecord, input: actions.Type, signal?: AbortSignal): Done {
    return this.#input(record, gestures.type(input), signal);
  }

  key(record: ComputerRecord, input: actions.Key, signal?: AbortSignal): Done {
    return this.#input(record, gestures.key(input), signal);
  }

  /**
   * Runs actions one after the other, until the first failure, with no other client's input
   * between them. An action that was refused or failed is a result, not an error.
   */
  async batch(
    record: ComputerRecord,
    list: readonly BatchAction[],
    signal?: AbortSignal,
  ): Promise<BatchResult> {
    checkBatch(list);
    const session = await this.#ready(record, signal);
    const run = (action: BatchAction) => this.#step(session, record, action, signal);
    return session.input.run(() => runBatch(list, run, signal), signal);
  }

  async screenshot(
    record: ComputerRecord,
    query: actions.ScreenshotQuery & { format: actions.ImageFormat },
    signal?: AbortSignal,
  ): Promise<Picture> {
    const session = await this.#ready(record, signal);
    const message = `The screen of ${JSON.stringify(record.name)} did not answer in time.`;
    const { settle } = query;
    return withDeadline(SCREENSHOT_MS + (settle?.max_ms ?? 0), message, signal, (s) =>
      session.screen.use(async (screen) => {
        await settled(screen, settle, s);
        return screen.screenshot(query, s);
      }, s),
    ).catch((error) => {
      dropIfFrozen(session.screen, error);
      throw error;
    });
  }

  async size(record: ComputerRecord, signal?: AbortSignal): Promise<Size> {
    const session = await this.#ready(record, signal);
    return session.screen.use(async (screen) => screen.size, signal);
  }

  /** Seconds that were waited. */
  async wait(record: ComputerRecord, input: actions.Wait, signal?: AbortSignal): Promise<number> {
    const begun = performance.now();
    const seconds = input.duration ?? input.seconds ?? 0;
    const { until } = input;
    if (until === undefined) {
      const session = await this.#ready(record, signal);
      await sleep(seconds * 1000, signal);
      session.lastUsed = Date.now();
    } else {
      await this.#waitUntil(record, until, input, signal);
    }
    return Math.round(performance.now() - begun) / 1000;
  }

  async bash(
    record: ComputerRecord,
    input: actions.Bash,
    signal?: AbortSignal,
  ): Promise<actions.BashResult> {
    const timeoutMs = input.timeout * 1000;
    const result = await this.#command(record, timeoutMs, signal, (shell, s) =>
      shell.run({ ...input, interpreter: 'system', timeoutMs, signal: s }),
    );
    return {
      success: true,
      output: result.stdout + result.stderr,
      stdout: result.stdout,
      stderr: result.stderr,
      exit_code: result.exitCode,
      timed_out: result.timedOut,
      truncated: result.truncated,
      ...(result.pid === undefined ? {} : { pid: result.pid }),
      ...(result.jobId === undefined ? {} : { job_id: result.jobId }),
    };
  }

  async exec(
    record: ComputerRecord,
    input: actions.Exec,
    signal?: AbortSignal,
  ): Promise<actions.ExecResult> {
    const timeoutMs = input.timeout * 1000;
    const result = await this.#command(record, timeoutMs, signal, (shell, s) =>
      shell.python({ code: input.code, timeoutMs, signal: s }),
    );
    return {
      success: result.error === undefined && !result.timedOut,
      output: result.output,
      ...(result.error === undefined ? {} : { error: result.error }),
      ...(result.errorType === undefined ? {} : { error_type: result.errorType }),
      timed_out: result.timedOut,
    };
  }

  /** Runs `work` with the computer's shell for as long as it takes. */
  async shell<T>(
    record: ComputerRecord,
    work: (shell: Shell) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const session = await this.#ready(record, signal);
    return session.shell.use(work, signal);
  }

  /** Runs something short with the computer's shell; `guest_timeout` when it takes too long. */
  ask<T>(
    record: ComputerRecord,
    work: (shell: Shell, signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#command(record, COMMAND_MARGIN_MS, signal, work);
  }

  /**
   * Runs `work` with the computer's screen, and the queue in which input has its turn, for as long
   * as it takes. The computer counts as used meanwhile.
   */
  async screen<T>(
    record: ComputerRecord,
    work: (screen: Screen, turns: Queue) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const session = await this.#ready(record, signal);
    return session.screen
      .use((screen) => work(screen, session.input), signal)
      .catch((error) => {
        dropIfFrozen(session.screen, error);
        throw error;
      });
  }

  async #waitUntil(
    record: ComputerRecord,
    until: 'stable' | 'change',
    input: actions.Wait,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const session = await this.#ready(record, signal);
    const [x, y, width, height] = input.region ?? [];
    const region =
      x === undefined || y === undefined || width === undefined || height === undefined
        ? undefined
        : { x, y, width, height };
    const options = {
      timeoutMs: input.timeout * 1000,
      ...(region ? { region } : {}),
      ...(signal ? { signal } : {}),
    };
    const came = await session.screen.use(
      (screen) => (until === 'stable' ? screen.waitStable(options) : screen.waitChange(options)),
      signal,
    );
    if (came) return;
    const what = until === 'stable' ? 'went on changing' : 'did not change';
    throw new ApiError('guest_timeout', `The screen ${what} for ${input.timeout} s.`);
  }

  async #input(
    record: ComputerRecord,
    gesture: Gesture,
    signal: AbortSignal | undefined,
  ): Promise<actions.ActionResult> {
    const session = await this.#ready(record, signal);
    return session.input.run(() => this.#perform(session, record, gesture, signal), signal);
  }

  /** Does a gesture in its turn: nobody else's input comes meanwhile. */
  async #perform(
    session: Session,
    record: ComputerRecord,
    { takesMs, settle, perform }: Gesture,
    signal: AbortSignal | undefined,
  ): Promise<actions.ActionResult> {
    const ms = INPUT_MS + takesMs + (settle?.max_ms ?? 0);
    const message = `The screen of ${JSON.stringify(record.name)} did not take the input in time.`;
    let working: Promise<unknown> = Promise.resolve();
    const work = async (screen: Screen, s: AbortSignal): Promise<actions.ActionResult> => {
      await perform(screen, s);
      if (settle === undefined) return { success: true };
      return { success: true, settled: await settled(screen, settle, s) };
    };
    try {
      return await withDeadline(ms, message, signal, (s) =>
        session.screen.use((screen) => {
          const result = work(screen, s);
          working = result;
          return result;
        }, s),
      );
    } catch (error) {
      // A frozen screen gets a new connection next time, with nothing left held.
      dropIfFrozen(session.screen, error);
      // An action that was given up tidies up behind itself before the next one begins.
      await Promise.race([working.catch(() => undefined), sleep(TIDY_MS)]);
      throw error;
    }
  }

  /** One action of a batch, whose turn it is. */
  async #step(
    session: Session,
    record: ComputerRecord,
    action: BatchAction,
    signal: AbortSignal | undefined,
  ): Promise<BatchResult['results'][number]> {
    switch (action.action) {
      case 'screenshot':
        return pictureAnswer(await this.screenshot(record, action, signal));
      case 'wait':
        return { success: true, waited: await this.wait(record, action, signal) };
      case 'bash':
        return this.bash(record, action, signal);
      case 'exec':
        return this.exec(record, action, signal);
      default:
        // The session of the turn, not one that began later: a restart ends the batch.
        this.#present(record);
        return this.#perform(session, record, gestureOf(action), signal);
    }
  }

  async #command<T>(
    record: ComputerRecord,
    ms: number,
    signal: AbortSignal | undefined,
    work: (shell: Shell, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const session = await this.#ready(record, signal);
    const message = `The shell of ${JSON.stringify(record.name)} did not answer in time.`;
    return withDeadline(ms + COMMAND_MARGIN_MS, message, signal, (s) =>
      session.shell.use((shell) => work(shell, s), s),
    ).catch((error) => {
      dropIfFrozen(session.shell, error);
      throw error;
    });
  }

  /** The session of a computer that runs, for work that outlasts a request. */
  session(record: ComputerRecord, signal?: AbortSignal): Promise<Session> {
    return this.#ready(record, signal);
  }

  /** The session of a computer that runs; waits for one that is starting. */
  async #ready(record: ComputerRecord, signal: AbortSignal | undefined): Promise<Session> {
    const present = this.#present(record);
    const machine = this.#machines.of(present);
    machine.session.lastUsed = Date.now();
    if (present.status === 'starting') {
      const message = `The computer ${JSON.stringify(record.name)} is still starting; try again in a moment.`;
      await withDeadline(READY_WITHIN_MS, message, signal, () => machine.settled());
    }
    const { status, status_reason: reason } = this.#present(record);
    if (status === 'running') return machine.session;
    const detail = reason ? ` (${reason})` : '';
    throw new ApiError(
      'not_running',
      `The computer ${JSON.stringify(record.name)} is ${status}${detail}; start it first: POST /computers/${record.id}/start.`,
    );
  }

  #present(record: ComputerRecord): ComputerRecord {
    const present = this.#store.computers.findById(record.id);
    if (present && present.status !== 'deleting') return present;
    throw new ApiError('not_found', `The computer ${JSON.stringify(record.name)} is deleted.`);
  }
}

/** What did not answer in time over a connection gets a new one next time. */
function dropIfFrozen(link: { drop(): void }, error: unknown): void {
  if (error instanceof ApiError && error.code === 'guest_timeout') link.drop();
}

/** Waits as `settle` asks; true when the screen came to rest, or nothing was asked. */
async function settled(screen: Screen, settle: Settle, signal: AbortSignal): Promise<boolean> {
  if (settle === undefined) return true;
  return screen.settle({ quietMs: settle.quiet_ms, maxMs: settle.max_ms, signal });
}
