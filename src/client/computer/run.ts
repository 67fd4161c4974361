import { CappedOutput } from '../../lib/streams/capped-output.js';
import { type CallOptions, withTimeLimit } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import type { CommandResult } from '../errors.js';
import { CommandError, ServiceTimeoutError } from '../errors.js';
import type { ComputerAddress } from '../http/address.js';
import { connectProcess } from '../process.js';
import type { Outlet } from '../sockets/message-socket.js';
import type { ProcessExit } from '../sockets/process-connection.js';

/** Kept of each output for the result. */
const KEPT_BYTES = 16 * 1024 * 1024;

export interface RunOptions extends CallOptions {
  /** Called with each piece of output as it arrives; characters are never split. */
  readonly onStdout?: ((text: string) => void) | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
  /** Standard input; it is empty by default. */
  readonly stdin?: string | Uint8Array | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Seconds until the command is ended; by default it runs for as long as it takes. */
  readonly timeout?: number | undefined;
  /** Throw a {@link CommandError} if it fails or is ended at its `timeout`. */
  readonly check?: boolean | undefined;
}

/** Runs a command line in a shell, or a program with its arguments, and streams its output. */
export async function runCommand(
  client: Client,
  address: ComputerAddress,
  command: string | readonly string[],
  { onStdout, onStderr, stdin, cwd, env, timeout, check = false, ...call }: RunOptions,
): Promise<CommandResult> {
  const what = typeof command === 'string' ? { command } : { argv: [...command] };
  const surroundings = { cwd, timeout, env: env && { ...env } };
  const stdout = new Collected(onStdout);
  const stderr = new Collected(onStderr);
  let isRunning = false;
  const work = async (signal: AbortSignal | undefined) => {
    const request = { ...what, ...surroundings, signal };
    const remote = await connectProcess(client, address, request, { stdout, stderr });
    isRunning = true;
    try {
      const input = typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin;
      if (input !== undefined) remote.write(input, () => undefined);
      remote.endInput();
      const exit = await Promise.race([remote.exited, stdout.failed, stderr.failed]);
      return resultOf(exit, stdout.kept, stderr.kept);
    } finally {
      // Ends it if a callback has thrown.
      remote.close();
    }
  };
  const lateError = () => (isRunning ? new CommandEndedError(call.timeoutMs) : undefined);
  const result = await withTimeLimit(call, client.baseUrl, work, lateError);
  if (check && result.exitCode !== 0) throw new CommandError(result);
  return result;
}

/** The service answered; the command took longer than `timeoutMs`. */
class CommandEndedError extends ServiceTimeoutError {
  override readonly remedy = 'allow more time, or set timeout in seconds, which keeps the output';

  constructor(timeoutMs: number | undefined) {
    super(`the command was ended: it took longer than timeoutMs (${timeoutMs})`);
  }
}

function resultOf(
  { code, signal, timedOut }: ProcessExit,
  out: CappedOutput,
  err: CappedOutput,
): CommandResult {
  return {
    exitCode: code,
    signal,
    timedOut,
    stdout: out.text(),
    stderr: err.text(),
    truncated: out.truncated || err.truncated,
  };
}

/** An output whose beginning is kept and which is passed on as it arrives. */
class Collected implements Outlet {
  readonly kept = new CappedOutput(KEPT_BYTES);
  /** Rejects with the error of the callback. */
  readonly failed: Promise<never>;
  #fail: (error: unknown) => void = () => undefined;
  readonly #decoder = new TextDecoder();
  readonly #notify: ((text: string) => void) | undefined;

  constructor(notify: ((text: string) => void) | undefined) {
    this.#notify = notify;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined);
  }

  push(bytes: Uint8Array): boolean {
    this.kept.write(bytes);
    this.#pass(bytes);
    return true;
  }

  end(): void {
    this.#pass();
  }

  #pass(bytes?: Uint8Array): void {
    if (this.#notify === undefined) return;
    try {
      const text = this.#decoder.decode(bytes, { stream: bytes !== undefined });
      if (text !== '') this.#notify(text);
    } catch (error) {
      this.#fail(error);
    }
  }
}
