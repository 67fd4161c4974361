import { atOnce } from '../../api/at-once.js';
import { asFailure, type Failure } from '../../api/failure.js';
import { call } from '../../api/http.js';
import type { Computer, StreamStatus } from '../../api/types.js';

/** The service has no list of streams: the status of so many computers is asked for at once. */
const AT_ONCE = 6;

export interface Streaming {
  readonly computer: Computer;
  readonly stream: StreamStatus;
}

/** The streams, and why the first could not be read. Throws the failure if none could be read. */
export async function readStatuses(
  on: readonly Computer[],
  signal: AbortSignal,
): Promise<{ readonly streams: readonly Streaming[]; readonly failure: Failure | undefined }> {
  const streams: Streaming[] = [];
  const failures: Failure[] = [];
  await atOnce(on, AT_ONCE, async (computer) => {
    const path = `/computers/${computer.id}/stream/status`;
    const stream = await call<StreamStatus>('GET', path, { signal }).catch(asFailure);
    if (stream instanceof Error) failures.push(stream);
    else if (stream.status !== 'idle') streams.push({ computer, stream });
  });
  const [failure] = failures;
  if (failure !== undefined && failures.length === on.length) throw failure;
  return { streams, failure };
}
