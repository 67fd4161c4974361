import { SAMPLE_BYTES, SOUND_BYTES_PER_SECOND } from '../../broadcast/index.js';
import { ApiError } from '../../contract/errors.js';
import { withAnySignal } from '../../lib/async/abort.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Shell } from '../../shell/types.js';
import type { Session } from '../sessions/session.js';

/** Records what programs play; the sound server starts when it is not running. */
const READER = [
  ...['parec', '--device=computer.monitor', '--raw', '--format=s16le', '--rate=48000'],
  ...['--channels=2', '--latency-msec=20', '--client-name=vc'],
];
/** Exit code of bash for a program that is not there. */
const NOT_FOUND = 127;
/** Milliseconds until a reader that has ended is started again. */
const RETRY_MS = 1_000;
/** Bytes that a reader may be ahead of the clock: what has waited while the host was busy. */
const MOST_AHEAD = 2 * SOUND_BYTES_PER_SECOND;
/** Characters of the reader's error that are shown. */
const MOST_REASON = 200;

/**
 * Reads the sound of a computer until the signal is aborted or the session is closed: whole samples,
 * none when the reader was interrupted. Rejects with ApiError `unsupported` if the computer has none.
 */
export async function readSound(
  session: Session,
  emit: (chunk: Buffer) => void,
  signal: AbortSignal,
): Promise<void> {
  const closing = new AbortController();
  const release = session.onClose(() =>
    closing.abort(new ApiError('not_running', 'The computer was stopped or its machine ended.')),
  );
  let isHeard = false;
  const hear = (chunk: Buffer) => {
    isHeard = true;
    emit(chunk);
  };
  try {
    await withAnySignal([signal, closing.signal], async (either) => {
      for (;;) {
        await session.shell
          .use((shell) => readOnce(shell, hear, either), either)
          .catch((error: unknown) => {
            either.throwIfAborted();
            if (!isHeard) throw error;
          });
        await sleep(RETRY_MS, either);
      }
    });
  } finally {
    release();
  }
}

async function readOnce(
  shell: Shell,
  emit: (chunk: Buffer) => void,
  signal: AbortSignal,
): Promise<void> {
  const reader = await shell.spawn({ argv: READER }, signal);
  reader.stdin.end();
  let reason = '';
  reader.stderr.on('data', (chunk: Buffer) => {
    reason = (reason + chunk.toString()).slice(0, MOST_REASON);
  });
  reader.stderr.on('error', () => undefined);
  const startedAt = performance.now();
  let received = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of reader.stdout as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    const samples = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = samples.length - (samples.length % SAMPLE_BYTES);
    rest = Buffer.from(samples.subarray(whole));
    if (whole > 0) emit(samples.subarray(0, whole));
    received += chunk.length;
    // Another program of that name may send without end.
    const due = ((performance.now() - startedAt) / 1000) * SOUND_BYTES_PER_SECOND + MOST_AHEAD;
    if (received > due) {
      await sleep(((received - due) / SOUND_BYTES_PER_SECOND) * 1000, signal);
    }
  }
  const { code } = await reader.exit;
  if (code === NOT_FOUND) throw noSound();
  throw new ApiError(
    'guest_failed',
    `The sound of the computer cannot be read: ${reason.trim() || 'its reader has ended'}.`,
  );
}

function noSound(): ApiError {
  return new ApiError('unsupported', 'This computer has no sound: its image has no sound server.', {
    remedy:
      'Create a computer from the current image linux; build images of your own again: vc image build',
  });
}
