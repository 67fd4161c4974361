import type * as actions from '../../contract/actions/actions.js';
import type { BatchAction, BatchResult } from '../../contract/actions/batch.js';
import type { Settle } from '../../contract/actions/settle.js';
import { ApiError } from '../../contract/errors.js';
import { resolvesWithin } from '../../lib/async/deadline.js';
import type { Queue } from '../../lib/async/queue.js';
import type { Picture, Screen } from '../../screen/types.js';
import type { Room, Shell } from '../../shell/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';
import type { ComputerRecord } from '../store/records.js';
import { checkBatch, pictureAnswer, runBatch, withRoom } from './batch.js';
import { bashResult, execResult } from './command-results.js';
import { type PreparedInput, prepareInput } from './input-actions.js';
import type { RunningComputers } from './running-computers.js';
import { wait } from './wait.js';

const INPUT_MS = 30_000;
const TIDY_MS = 2_000;
const SCREENSHOT_MS = 15_000;
/** Added to a command's own timeout: time to reach the guest and to kill the command. */
const COMMAND_MARGIN_MS = 15_000;

type OnJob = (record: ComputerRecord, job: string) => void;

/** Operations on running computers. */
export class Actions {
  readonly #running: RunningComputers;
  readonly #onJob: OnJob;

  /** `onJob` is called for every background command that was started. */
  constructor(running: RunningComputers, onJob: OnJob = () => {}) {
    this.#running = running;
    this.#onJob = onJob;
  }

  /** Throws unless the computer is running or starting. */
  refuseStopped(record: ComputerRecord): void {
    this.#running.refuseStopped(record);
  }

  /** Performs a mouse or keyboard action after earlier ones. */
  async perform<N extends actions.InputActionName>(
    record: ComputerRecord,
    name: N,
    input: actions.InputActions[N],
    signal?: AbortSignal,
  ): Promise<actions.ActionResult> {
    const prepared = prepareInput(name, input);
    const session = await this.#running.session(record, signal);
    return session.input.run(() => this.#perform(session, record, prepared, signal), signal);
  }

  /**
   * Runs actions one after the other, until the first failure, with no other client's input
   * between them. An action that was refused or failed is a result, not an error.
   */
  async batch(
    record: ComputerRecord,
    list: readonly BatchAction[],
    signal?: AbortSignal,
    room?: Room,
  ): Promise<BatchResult> {
    checkBatch(list);
    const session = await this.#running.session(record, signal);
    const run = (action: BatchAction) => this.#step(session, record, action, signal, room);
    return session.input.run(() => runBatch(list, run, { computer: record, signal }), signal);
  }

  async screenshot(
    record: ComputerRecord,
    query: actions.ScreenshotQuery & { format: actions.ImageFormat },
    signal?: AbortSignal,
  ): Promise<Picture> {
    const session = await this.#running.session(record, signal);
    const message = `The screen of ${JSON.stringify(record.name)} did not answer in time.`;
    const { settle } = query;
    return withGuestDeadline(SCREENSHOT_MS + (settle?.max_ms ?? 0), message, signal, (s) =>
      session.screen.use(async (screen) => {
        await settled(screen, settle, s);
        return screen.screenshot(query, s);
      }, s),
    ).catch((error) => {
      dropIfFrozen(session.screen, error);
      throw error;
    });
  }

  /** Waits for a time or for the screen. Throws `guest_timeout` if the screen does not become stable. */
  async wait(
    record: ComputerRecord,
    input: actions.Wait,
    signal?: AbortSignal,
  ): Promise<actions.WaitResult> {
    return wait(await this.#running.session(record, signal), input, signal);
  }

  /** `room` says how much of the output may be kept, as in {@link Shell.run}. */
  async bash(
    record: ComputerRecord,
    input: actions.Bash,
    signal?: AbortSignal,
    room?: Room,
  ): Promise<actions.BashResult> {
    const timeoutMs = input.timeout * 1000;
    const result = await this.#command(record, timeoutMs, signal, (shell, s) =>
      shell.run({ ...input, interpreter: 'system', timeoutMs, signal: s, room }),
    );
    if (result.jobId !== undefined) this.#onJob(record, result.jobId);
    return bashResult(result);
  }

  async exec(
    record: ComputerRecord,
    input: actions.Exec,
    signal?: AbortSignal,
    room?: Room,
  ): Promise<actions.ExecResult> {
    const timeoutMs = input.timeout * 1000;
    const result = await this.#command(record, timeoutMs, signal, (shell, s) =>
      shell.python({ code: input.code, timeoutMs, signal: s, room }),
    );
    return execResult(result);
  }

  /** Runs `work` with the computer's shell for as long as it takes. */
  async shell<T>(
    record: ComputerRecord,
    work: (shell: Shell) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const session = await this.#running.session(record, signal);
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
   * Runs `work` with the computer's screen and its input queue. The computer counts as used until
   * `work` ends.
   */
  async screen<T>(
    record: ComputerRecord,
    work: (screen: Screen, turns: Queue) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const session = await this.#running.session(record, signal);
    return session.screen
      .use((screen) => work(screen, session.input), signal)
      .catch((error) => {
        dropIfFrozen(session.screen, error);
        throw error;
      });
  }

  /** Performs an action within its turn of the input queue. */
  async #perform(
    session: Session,
    record: ComputerRecord,
    { takesMs, settle, perform }: PreparedInput,
    signal: AbortSignal | undefined,
  ): Promise<actions.ActionResult> {
    // It may have been stopped or deleted while the action was queued.
    this.#running.refuseStopped(record);
    const ms = INPUT_MS + takesMs + (settle?.max_ms ?? 0);
    const message = `The screen of ${JSON.stringify(record.name)} did not take the input in time.`;
    let working: Promise<unknown> = Promise.resolve();
    const work = async (screen: Screen, s: AbortSignal): Promise<actions.ActionResult> => {
      await perform(screen, s);
      if (settle === undefined) return { success: true };
      return { success: true, settled: await settled(screen, settle, s) };
    };
    try {
      return await withGuestDeadline(ms, message, signal, (s) =>
        session.screen.use((screen) => {
          const result = work(screen, s);
          working = result;
          return result;
        }, s),
      );
    } catch (error) {
      // The next action gets a new connection, with no button or key held.
      dropIfFrozen(session.screen, error);
      // Let the aborted action release its buttons and keys before the next one begins.
      await resolvesWithin(
        working.catch(() => undefined),
        TIDY_MS,
      );
      throw error;
    }
  }

  /** Runs one action of a batch, within the batch's turn of the input queue. */
  async #step(
    session: Session,
    record: ComputerRecord,
    action: BatchAction,
    signal: AbortSignal | undefined,
    room: Room | undefined,
  ): Promise<BatchResult['results'][number]> {
    switch (action.action) {
      case 'screenshot':
        return withRoom(pictureAnswer(await this.screenshot(record, action, signal)), room);
      case 'wait':
        return this.wait(record, action, signal);
      case 'bash':
        return this.bash(record, action, signal, room);
      case 'exec':
        return this.exec(record, action, signal, room);
      default:
        return this.#perform(session, record, prepareInput(action.action, action), signal);
    }
  }

  async #command<T>(
    record: ComputerRecord,
    ms: number,
    signal: AbortSignal | undefined,
    work: (shell: Shell, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const session = await this.#running.session(record, signal);
    const message = `The shell of ${JSON.stringify(record.name)} did not answer in time.`;
    return withGuestDeadline(ms + COMMAND_MARGIN_MS, message, signal, (s) =>
      session.shell.use((shell) => work(shell, s), s),
    ).catch((error) => {
      dropIfFrozen(session.shell, error);
      throw error;
    });
  }
}

/** After a timeout the next use opens a new connection. */
function dropIfFrozen(link: { drop(): void }, error: unknown): void {
  if (error instanceof ApiError && error.code === 'guest_timeout') link.drop();
}

/** Waits for the screen to settle; false if it did not in time. */
async function settled(screen: Screen, settle: Settle, signal: AbortSignal): Promise<boolean> {
  if (settle === undefined) return true;
  return screen.settle({ quietMs: settle.quiet_ms, maxMs: settle.max_ms, signal });
}
