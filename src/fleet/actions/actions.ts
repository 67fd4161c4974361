import type * as actions from '../../contract/actions/actions.js';
import {
  type BatchAction,
  type BatchResult,
  inputOperation,
} from '../../contract/actions/batch.js';
import { runsCommand } from '../../contract/actions/conditions.js';
import type { Queue } from '../../lib/async/queue.js';
import type { Picture, Screen } from '../../screen/types.js';
import type { Shell } from '../../shell/types.js';
import type { Owner } from '../accounts/api-keys.js';
import { untilTaken, whileAllowed } from '../control/allowed-input.js';
import { controlNotice } from '../control/control-notice.js';
import type { Marked } from '../elements/marks.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';
import type { ComputerRecord } from '../store/records.js';
import {
  asTyped,
  atPoint,
  batchName,
  type RecordedAction,
} from '../trajectories/recorded-action.js';
import { checkBatch, fillBatch, pictureAnswer, runBatch } from './batch.js';
import { bashResult, execResult } from './command-results.js';
import { HeldInput } from './held-input.js';
import { fillText, type PreparedInput, prepareInput } from './input-actions.js';
import { dropIfFrozen, performInput } from './perform-input.js';
import type { ActionsParts, RunningComputers } from './running-computers.js';
import {
  type ComputerFacts,
  computerFacts,
  cursorPosition,
  type ScreenshotRequest,
  takeMarkedScreenshot,
  takeScreenshot,
  takeThumbnail,
} from './screen-queries.js';
import { wait } from './wait.js';

/** Added to a command's own timeout: to reach the guest and kill the command. */
const COMMAND_MARGIN_MS = 15_000;

/** Operations on running computers. */
export class Actions {
  readonly #running: RunningComputers;
  readonly #parts: ActionsParts;
  /** What clients left pressed. */
  readonly held = new HeldInput();

  constructor(running: RunningComputers, parts: ActionsParts) {
    this.#running = running;
    this.#parts = parts;
  }

  /** Throws unless the computer is running or starting. */
  refuseStopped(record: ComputerRecord): void {
    this.#running.refuseStopped(record);
  }

  /**
   * Performs a mouse or keyboard action after earlier ones, for a request of `by`. The caller has just
   * looked up the computer, and that nobody else has control.
   */
  async perform<N extends actions.InputActionName>(
    record: ComputerRecord,
    name: N,
    input: actions.InputActions[N],
    signal?: AbortSignal,
    by?: Owner,
  ): Promise<actions.ActionResult> {
    const filled =
      name === 'type' ? fillText(input as actions.Type, this.#parts.secrets.filler(record)) : input;
    const prepared = prepareInput(name, filled as typeof input);
    const done = () => asTyped({ action: batchName(name), ...input } as BatchAction, filled);
    const act = async (until = signal) => {
      const session = await this.#running.sessionOf(record, until);
      const hasWaited = session.input.length > 0 || record.status !== 'running';
      return session.input.run(async () => {
        // It may have been stopped or deleted.
        if (hasWaited) this.#running.refuseStopped(record);
        return this.#perform(session, record, { prepared, done }, until, by);
      }, until);
    };
    if (by === undefined) return act();
    return untilTaken({ control: this.#parts.control, computerId: record.id, by }, signal, act);
  }

  /** The pointer's position, as far as clients have moved it. */
  async cursor(record: ComputerRecord, signal?: AbortSignal): Promise<actions.CursorPosition> {
    return cursorPosition(await this.#running.session(record, signal), signal);
  }

  /** What a model's tool has to know of the computer. */
  async facts(record: ComputerRecord, signal?: AbortSignal): Promise<ComputerFacts> {
    return computerFacts(await this.#running.session(record, signal), signal);
  }

  /**
   * Runs actions one after the other, until the first failure, with no other client's input
   * between them. An action that was refused or failed is a result, not an error.
   */
  async batch(
    record: ComputerRecord,
    list: readonly BatchAction[],
    signal?: AbortSignal,
    by?: Owner,
  ): Promise<BatchResult> {
    const filled = fillBatch(list, this.#parts.secrets.filler(record));
    checkBatch(filled);
    const session = await this.#running.session(record, signal);
    const step = (action: BatchAction, index: number, until = signal) =>
      this.#step(session, record, { action, given: list[index] ?? action }, until, by);
    const run = (action: BatchAction, index: number) => {
      if (by === undefined) return step(action, index);
      const giving = { control: this.#parts.control, computerId: record.id, by };
      return whileAllowed(giving, signal, (until) => step(action, index, until));
    };
    return session.input.run(() => runBatch(filled, run, { computer: record, signal }), signal);
  }

  async screenshot(
    record: ComputerRecord,
    query: ScreenshotRequest,
    signal?: AbortSignal,
    by?: Owner,
  ): Promise<Picture | (Picture & Marked)> {
    const session = await this.#running.session(record, signal);
    if (!query.marks) return takeScreenshot(session, record, query, signal);
    const mark = () => this.#parts.elements.mark(session, query.region, signal, by?.keyId);
    return takeMarkedScreenshot(session, record, query, mark, signal);
  }

  /** A small JPEG for a list of computers, which is no use of the computer. */
  async thumbnail(record: ComputerRecord, width: number, signal?: AbortSignal): Promise<Picture> {
    const session = this.#running.observed(record);
    return takeThumbnail(session, record, width, signal).catch((error) => {
      // It may have been stopped meanwhile, which says more.
      this.#running.observed(record);
      throw error;
    });
  }

  /** Waits for a time, for the screen or for a condition; see `wait.ts`. */
  async wait(
    record: ComputerRecord,
    input: actions.Wait,
    signal?: AbortSignal,
  ): Promise<actions.WaitResult> {
    const work = async () => {
      const session = await this.#running.session(record, signal);
      return wait(session, this.#parts.elements, input, signal);
    };
    if (!runsCommand(input.until)) return work();
    return this.recorded(record, () => ({ action: 'wait', ...input }), work);
  }

  async bash(
    record: ComputerRecord,
    input: actions.Bash,
    signal?: AbortSignal,
  ): Promise<actions.BashResult> {
    const timeoutMs = input.timeout * 1000;
    const work = async () => {
      const result = await this.#command(record, timeoutMs, signal, (shell, s) =>
        shell.run({ ...input, interpreter: 'system', timeoutMs, signal: s }),
      );
      if (result.jobId !== undefined) this.#parts.onJob?.(record, result.jobId);
      return bashResult(result);
    };
    return this.recorded(record, () => ({ action: 'bash', ...input }), work);
  }

  async exec(
    record: ComputerRecord,
    input: actions.Exec,
    signal?: AbortSignal,
  ): Promise<actions.ExecResult> {
    const timeoutMs = input.timeout * 1000;
    const work = async () => {
      const result = await this.#command(record, timeoutMs, signal, (shell, s) =>
        shell.python({ code: input.code, timeoutMs, signal: s }),
      );
      return execResult(result);
    };
    return this.recorded(record, () => ({ action: 'exec', ...input }), work);
  }

  /** Performs `work`, and records the action while the actions of the computer are recorded. */
  recorded<T>(
    { id }: ComputerRecord,
    describe: () => RecordedAction,
    work: () => Promise<T>,
  ): Promise<T> {
    const { trajectories } = this.#parts;
    return trajectories === undefined ? work() : trajectories.record(id, describe, work);
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

  /** The same for the computer's jobs, also while its setup runs. */
  jobs<T>(
    record: ComputerRecord,
    work: (shell: Shell, signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const session = this.#running.sessionForJobs(record, signal);
    return this.#command(record, COMMAND_MARGIN_MS, signal, work, session);
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
    { prepared, done }: { prepared: PreparedInput; done(): RecordedAction },
    signal: AbortSignal | undefined,
    by: Owner | undefined,
  ): Promise<actions.ActionResult> {
    const located =
      prepared.element === undefined
        ? prepared
        : await this.#parts.elements.locate(session, record, prepared, signal, by?.keyId);
    const held = { queue: session.input, keyId: by?.keyId, computerId: record.id };
    const onActed = (screen: Screen) => this.held.acted(screen, held);
    const work = () => performInput({ session, record, prepared: located, onActed, signal });
    return this.recorded(record, () => atPoint(done(), located.at), work);
  }

  /** Runs one action of a batch, within the batch's turn of the input queue. */
  async #step(
    session: Session,
    record: ComputerRecord,
    { action, given }: { action: BatchAction; given: BatchAction },
    signal: AbortSignal | undefined,
    by: Owner | undefined,
  ): Promise<BatchResult['results'][number]> {
    switch (action.action) {
      case 'screenshot': {
        const picture = await this.screenshot(record, action, signal, by);
        const returned = by && this.#parts.control.returnedSince(record.id, by);
        return { ...pictureAnswer(picture), ...controlNotice(returned) };
      }
      case 'wait':
        return this.wait(record, action, signal);
      case 'bash':
        return this.bash(record, action, signal);
      case 'exec':
        return this.exec(record, action, signal);
      case 'cursor':
        return this.cursor(record, signal);
      default: {
        const prepared = prepareInput(inputOperation(action.action), action);
        const done = () => asTyped(given, action);
        this.#running.refuseStopped(record);
        return this.#perform(session, record, { prepared, done }, signal, by);
      }
    }
  }

  async #command<T>(
    record: ComputerRecord,
    ms: number,
    signal: AbortSignal | undefined,
    work: (shell: Shell, signal: AbortSignal) => Promise<T>,
    finding = this.#running.session(record, signal),
  ): Promise<T> {
    const session = await finding;
    const message = `The shell of ${JSON.stringify(record.name)} did not answer in time.`;
    return withGuestDeadline(ms + COMMAND_MARGIN_MS, message, signal, (s) =>
      session.shell.use((shell) => work(shell, s), s),
    ).catch((error) => {
      dropIfFrozen(session.shell, error);
      throw error;
    });
  }
}
