import type * as actions from '../contract/actions.js';
import { ApiError } from '../contract/errors.js';
import type { Picture, Screen, Size } from '../screen/types.js';
import type { Shell } from '../shell/types.js';
import type { Machines } from './machines.js';
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

/** Everything that is done with a running computer. */
export class Control {
  readonly #store: Store;
  readonly #machines: Machines;

  constructor(store: Store, machines: Machines) {
    this.#store = store;
    this.#machines = machines;
  }

  move(record: ComputerRecord, { x, y }: actions.Move, signal?: AbortSignal): Promise<void> {
    return this.#input(record, INPUT_MS, signal, (screen, s) => screen.move(x, y, s));
  }

  click(record: ComputerRecord, input: actions.Click, signal?: AbortSignal): Promise<void> {
    const clicks = input.clicks ?? (input.double ? 2 : 1);
    return this.#input(record, INPUT_MS, signal, (screen, s) =>
      screen.click({ x: input.x, y: input.y, button: input.button, clicks, keys: input.keys }, s),
    );
  }

  drag(record: ComputerRecord, input: actions.Drag, signal?: AbortSignal): Promise<void> {
    const durationMs = input.duration * 1000;
    const points = [
      [input.start_x, input.start_y] as const,
      ...(input.path ?? []),
      [input.end_x, input.end_y] as const,
    ];
    return this.#input(record, INPUT_MS + durationMs, signal, (screen, s) =>
      screen.drag({ points, button: input.button, durationMs }, s),
    );
  }

  scroll(record: ComputerRecord, input: actions.Scroll, signal?: AbortSignal): Promise<void> {
    if ((input.x === undefined) !== (input.y === undefined)) {
      throw new ApiError('invalid_request', 'x and y must be given together, or both left out.');
    }
    const at =
      input.x === undefined || input.y === undefined ? undefined : { x: input.x, y: input.y };
    const { direction, amount } = input;
    return this.#input(record, INPUT_MS, signal, (screen, s) =>
      screen.scroll({ direction, amount, ...(at ? { at } : {}) }, s),
    );
  }

  type(record: ComputerRecord, input: actions.Type, signal?: AbortSignal): Promise<void> {
    const delayMs = input.delay_ms ?? 0;
    const ms = INPUT_MS + input.text.length * (delayMs + 5);
    return this.#input(record, ms, signal, (screen, s) =>
      screen.type(input.text, { delayMs, signal: s }),
    );
  }

  key(record: ComputerRecord, input: actions.Key, signal?: AbortSignal): Promise<void> {
    const holdMs = input.hold_ms ?? 0;
    return this.#input(record, INPUT_MS + holdMs, signal, (screen, s) =>
      screen.key(input.key, { holdMs, signal: s }),
    );
  }

  async screenshot(
    record: ComputerRecord,
    query: actions.ScreenshotQuery & { format: actions.ImageFormat },
    signal?: AbortSignal,
  ): Promise<Picture> {
    const session = await this.#ready(record, signal);
    const message = `The screen of "${record.name}" did not answer in time.`;
    return withDeadline(SCREENSHOT_MS, message, signal, (s) =>
      session.screen.use((screen) => screen.screenshot(query, s), s),
    ).catch((error) => {
      if (error instanceof ApiError && error.code === 'guest_timeout') session.screen.close();
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
      this.#present(record);
      await sleep(seconds * 1000, signal);
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
      shell.run({ ...input, timeoutMs, signal: s }),
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
    ms: number,
    signal: AbortSignal | undefined,
    work: (screen: Screen, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const session = await this.#ready(record, signal);
    const message = `The screen of "${record.name}" did not take the input in time.`;
    await session.input.run(async () => {
      let working: Promise<void> = Promise.resolve();
      const perform = (screen: Screen, s: AbortSignal) => {
        working = work(screen, s);
        return working;
      };
      try {
        await withDeadline(ms, message, signal, (s) =>
          session.screen.use((screen) => perform(screen, s), s),
        );
      } catch (error) {
        // A frozen screen gets a new connection next time, with nothing left held.
        if (error instanceof ApiError && error.code === 'guest_timeout') session.screen.close();
        // An action that was given up tidies up behind itself before the next one begins.
        await Promise.race([working.catch(() => undefined), sleep(TIDY_MS)]);
        throw error;
      }
    }, signal);
  }

  async #command<T>(
    record: ComputerRecord,
    ms: number,
    signal: AbortSignal | undefined,
    work: (shell: Shell, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const session = await this.#ready(record, signal);
    const message = `The shell of "${record.name}" did not answer in time.`;
    return withDeadline(ms + COMMAND_MARGIN_MS, message, signal, (s) =>
      session.shell.use((shell) => work(shell, s), s),
    ).catch((error) => {
      if (error instanceof ApiError && error.code === 'guest_timeout') session.shell.close();
      throw error;
    });
  }

  /** The session of a computer that runs; waits for one that is starting. */
  async #ready(record: ComputerRecord, signal: AbortSignal | undefined): Promise<Session> {
    const present = this.#present(record);
    const machine = this.#machines.of(present);
    machine.session.lastUsed = Date.now();
    if (present.status === 'starting') {
      const message = `The computer "${record.name}" is still starting; try again in a moment.`;
      await withDeadline(READY_WITHIN_MS, message, signal, () => machine.settled());
    }
    const { status, status_reason: reason } = this.#present(record);
    if (status === 'running') return machine.session;
    const detail = reason ? ` (${reason})` : '';
    throw new ApiError(
      'not_running',
      `The computer "${record.name}" is ${status}${detail}; start it first: POST /computers/${record.id}/start.`,
    );
  }

  #present(record: ComputerRecord): ComputerRecord {
    const present = this.#store.computers.findById(record.id);
    if (present && present.status !== 'deleting') return present;
    throw new ApiError('not_found', `The computer "${record.name}" is deleted.`);
  }
}
