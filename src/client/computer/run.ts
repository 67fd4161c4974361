import type { Readable } from 'node:stream';
import { CappedOutput } from '../../lib/streams/capped-output.js';
import type { CallOptions } from '../calls/options.js';
import { withTimeLimit } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import { CommandError } from '../errors.js';
import type { ComputerAddress } from '../http/address.js';
import type { RemoteProcess } from '../process.js';
import type { CommandResult } from './command-result.js';

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
  const result = await withTimeLimit(call, client.baseUrl, async (signal) => {
    const remote = await client.process(address, {
      ...what,
      ...surroundings,
      ...(signal === undefined ? {} : { signal }),
    });
    remote.stdin.end(stdin);
    try {
      return await resultOf(remote, onStdout, onStderr);
    } finally {
      // Ends it if a callback has thrown.
      remote.close();
    }
  });
  if (check && result.exitCode !== 0) throw new CommandError(result);
  return result;
}

async function resultOf(
  remote: RemoteProcess,
  onStdout: RunOptions['onStdout'],
  onStderr: RunOptions['onStderr'],
): Promise<CommandResult> {
  const [out, err, { code, signal, timedOut }] = await Promise.all([
    collect(remote.stdout, onStdout),
    collect(remote.stderr, onStderr),
    remote.exited,
  ]);
  return {
    ...{ exitCode: code, signal, timedOut },
    ...{ stdout: out.text(), stderr: err.text(), truncated: out.truncated || err.truncated },
  };
}

async function collect(
  stream: Readable,
  notify: ((text: string) => void) | undefined,
): Promise<CappedOutput> {
  const kept = new CappedOutput(KEPT_BYTES);
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    kept.write(chunk);
    const text = notify && decoder.decode(chunk, { stream: true });
    if (text) notify(text);
  }
  const rest = notify && decoder.decode();
  if (rest) notify(rest);
  return kept;
}
