import { useEffect } from 'preact/hooks';
import { API } from '../../api/addresses.js';
import { call } from '../../api/http.js';
import type { Lists, Run, RunTask } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Time } from '../../components/time.js';
import { useData } from '../../state/use-data.js';
import { outcomeOf, summary } from './outcome.js';

/** How often runs that are not done are read again, in milliseconds. */
const EVERY_MS = 2_000;

/** Runs of `vc run` with the pictures of their tasks. */
export function Runs() {
  const { value, failure, reload } = useData('runs', (signal) =>
    call<Lists['runs']>('GET', '/runs', { signal }),
  );
  const goesOn = value?.runs.some(({ tasks }) =>
    tasks.some((task) => outcomeOf(task) === 'running'),
  );
  useEffect(() => {
    if (!goesOn) return undefined;
    const timer = setInterval(() => document.hidden || reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, [goesOn]);
  return (
    <Page title="Runs" lead="Tasks of agents, each on a new computer.">
      <FailureNote failure={failure} />
      {value?.runs.length === 0 && (
        <Empty title="No run yet">
          <p>Begin one with the command line:</p>
          <Commands lines={['vc run tasks.yaml --computers 4']} />
        </Empty>
      )}
      {value?.runs.map((run, at) => (
        <RunDetails key={run.id} run={run} isOpen={at === 0} />
      ))}
    </Page>
  );
}

function RunDetails({ run, isOpen }: { run: Run; isOpen: boolean }) {
  return (
    <details class="run" open={isOpen}>
      <summary>
        <strong>{run.name}</strong> <span>{summary(run.tasks)}</span>
        <span class="muted">
          {', '}
          <Time at={run.created_at} />
        </span>
      </summary>
      <ul>
        {run.tasks.map((task) => (
          <Task key={task.name} run={run.id} task={task} />
        ))}
      </ul>
    </details>
  );
}

function Task({ run, task }: { run: string; task: RunTask }) {
  const { name, message, seconds, computer_id: computer, has_picture: hasPicture } = task;
  const outcome = outcomeOf(task);
  const path = `/runs/${run}/tasks/${name}/picture`;
  return (
    <li data-outcome={outcome}>
      {hasPicture ? (
        <img src={API + path} alt={`Screen at the end of ${name}`} loading="lazy" />
      ) : (
        <div class="none" />
      )}
      <strong class="break">{name}</strong>
      <span>
        <span class="outcome">{outcome}</span>
        {seconds !== null && <span class="muted"> {seconds.toFixed(1)} s</span>}
        {computer !== null && (
          <>
            {' '}
            <a href={`/computers/${computer}`}>Open its computer</a>
          </>
        )}
      </span>
      {message !== '' && <span class="muted break">{message}</span>}
    </li>
  );
}
