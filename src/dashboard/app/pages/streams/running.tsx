import { call, request } from '../../api/http.js';
import type { Computer, StreamStatus } from '../../api/types.js';
import { Time } from '../../components/time.js';
import { tellFailure } from '../../state/notices.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { computers, isListed } from '../../state/wall.js';

/** The service has no list of streams: the status of so many computers is asked for at once. */
const AT_ONCE = 6;

/** The computers whose screens are streamed now. */
export function Running() {
  const on = [...computers.value.values()].filter(({ status }) => status === 'running');
  const key = `streams ${isListed.value} ${on.map(({ id }) => id).join()}`;
  const { value, reload } = useData(key, (signal) => readStatuses(on, signal));
  const stop = ({ id, name }: Computer) =>
    void request('POST', `/computers/${id}/stream/stop`)
      .catch((error: unknown) => tellFailure(`Could not stop the stream of ${name}`, error))
      .then(reload);
  if (value === undefined) return <p class="muted">Reading…</p>;
  if (value.length === 0) {
    return <p class="muted">No screen is streamed. Start one in the live view of a computer.</p>;
  }
  return (
    <ul class="plain rows">
      {value.map(({ computer, stream }) => (
        <li key={computer.id}>
          <a class="break" href={`/computers/${computer.id}`}>
            {computer.project_name}/{computer.name}
          </a>
          <span class={stream.status === 'streaming' ? 'muted' : 'outcome bad'}>
            {stream.status === 'streaming' ? (
              <>
                since <Time at={stream.start_time} />
              </>
            ) : (
              (stream.message ?? 'ended')
            )}
          </span>
          {stream.status === 'streaming' && may.value('act') && (
            <button type="button" class="small" onClick={() => stop(computer)}>
              Stop
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

async function readStatuses(on: readonly Computer[], signal: AbortSignal) {
  const found: { computer: Computer; stream: StreamStatus }[] = [];
  const waiting = [...on];
  const work = async () => {
    for (let computer = waiting.shift(); computer !== undefined; computer = waiting.shift()) {
      const path = `/computers/${computer.id}/stream/status`;
      const stream = await call<StreamStatus>('GET', path, { signal });
      if (stream.status !== 'idle') found.push({ computer, stream });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}
