import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Bash, BashLine } from '../../contract/actions/actions.js';
import { ApiError } from '../../contract/errors.js';
import { onAbort } from '../../lib/async/abort.js';
import { deferred } from '../../lib/async/deferred.js';
import type { Shell } from '../../shell/types.js';
import type { ComputerRecord } from '../store/records.js';
import type { Actions } from './actions.js';

/**
 * Output in one line at most, in bytes: lines wait in memory for a client that reads slowly, and a byte
 * may take six of them.
 */
const MOST_BYTES = 16 * 1024;

/** Lines of JSON on their way to a client. */
interface Lines {
  /** Resolves when there is room for the next one. */
  send(line: BashLine): Promise<void>;
  /** Aborted when the client has left. */
  readonly left: AbortSignal;
}

/**
 * Runs a command and streams its output as lines of JSON, the last of which says how it ended.
 * Resolves when it has started. It is ended at its timeout, and when the stream is destroyed.
 */
export async function bashLines(
  actions: Pick<Actions, 'shell' | 'recorded'>,
  record: ComputerRecord,
  input: Bash,
  signal?: AbortSignal,
): Promise<Readable> {
  if (input.background) {
    throw new ApiError('invalid_request', 'A command in the background has no output to stream.', {
      remedy: 'Leave out background, or accept application/json.',
    });
  }
  const stream = new PassThrough();
  const leaving = new AbortController();
  stream.once('close', () =>
    leaving.abort(new ApiError('request_timeout', 'The client disconnected.')),
  );
  const left = leaving.signal;
  const started = deferred<void>();
  const send = async (line: BashLine) => {
    if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain', { signal: left });
  };
  // Until it has started, only the request knows that its client has left.
  const dispose = onAbort(signal, () => stream.destroy());
  const work = () =>
    actions.shell(
      record,
      (shell) => run(shell, input, { send, left }, () => started.resolve()),
      left,
    );
  actions
    .recorded(record, () => ({ action: 'bash', ...input }), work)
    .catch(async (error: unknown) => {
      started.reject(error);
      const { code, message } =
        error instanceof ApiError ? error : new ApiError('internal', 'The service failed.');
      if (!stream.destroyed) await send({ type: 'error', code, error: message });
    })
    .catch(() => undefined)
    .finally(() => stream.end());
  try {
    await started.promise;
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    dispose();
  }
}

async function run(
  shell: Shell,
  { command, timeout, cwd, env }: Bash,
  { send, left }: Lines,
  onStarted: () => void,
): Promise<void> {
  const late = new AbortController();
  const end = () => late.abort(new ApiError('guest_timeout', 'The command did not start in time.'));
  const timer = setTimeout(end, timeout * 1000);
  try {
    const place = { ...(cwd === undefined ? {} : { cwd }), ...(env === undefined ? {} : { env }) };
    const child = await shell.spawn({ command, ...place }, AbortSignal.any([left, late.signal]));
    onStarted();
    const dispose = onAbort(left, () => void child.kill('KILL').catch(() => undefined));
    child.stdin.on('error', () => undefined);
    child.stdin.end();
    const forward = async (type: 'stdout' | 'stderr') => {
      const decoder = new StringDecoder('utf8');
      for await (const chunk of child[type]) {
        const bytes = chunk as Buffer;
        for (let at = 0; at < bytes.length; at += MOST_BYTES) {
          const data = decoder.write(bytes.subarray(at, at + MOST_BYTES));
          if (data !== '') await send({ type, data });
        }
      }
      const rest = decoder.end();
      if (rest !== '') await send({ type, data: rest });
    };
    try {
      await Promise.all([forward('stdout'), forward('stderr')]);
    } finally {
      dispose();
    }
    const { code } = await child.exit;
    const timed_out = late.signal.aborted;
    await send({
      type: 'exit',
      success: !timed_out,
      exit_code: timed_out ? null : code,
      timed_out,
    });
  } finally {
    clearTimeout(timer);
  }
}
