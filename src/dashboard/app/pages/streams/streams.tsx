import { useEffect, useState } from 'preact/hooks';
import { call, request } from '../../api/http.js';
import type { Computer, Connection, Lists } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { FormDialog } from '../../components/forms/intent-form.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { tellFailure } from '../../state/notices.js';
import { may, ofAllProjects } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { isVisible } from '../../state/visibility.js';
import { computers, isListed } from '../../state/wall.js';
import { readStatuses, type Streaming } from './read.js';
import { isHealthy, troubleOf } from './trouble.js';

/** Targets of streams, and the streams that run. */
export function Streams() {
  // A key for one project sees no targets.
  const hasTargets = ofAllProjects.value;
  const { value, failure, reload } = useData(`connections ${hasTargets}`, async (signal) =>
    hasTargets
      ? call<Lists['connections']>('GET', '/connections', { signal })
      : ({ connections: [] } satisfies Lists['connections']),
  );
  const [open, setOpen] = useState<'add' | Connection>();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    reload();
  };
  const targets = value?.connections ?? [];
  const add = hasTargets && may.value('manage') && (
    <button type="button" class="primary" onClick={() => setOpen('add')}>
      <Icon name="plus" />
      New target
    </button>
  );
  return (
    <Page title="Streams" lead="Screens are streamed to RTMP targets." actions={add}>
      <FailureNote failure={failure} />
      <StreamLists />
      <section aria-labelledby="targets">
        <h2 id="targets">Targets</h2>
        {!hasTargets && <p class="muted">Only keys for all projects see them.</p>}
        {hasTargets && value !== undefined && targets.length === 0 && (
          <Empty title="No target yet">
            <p>Add one here, or with the command line:</p>
            <Commands lines={['vc connection add live --url rtmp://example.com/app']} />
          </Empty>
        )}
        {targets.length > 0 && (
          <Table columns={['Name', 'Address', 'Stream key', 'Added', ACTIONS]}>
            {targets.map((target) => (
              <tr key={target.name}>
                <th scope="row">{target.name}</th>
                <td>
                  <code>{target.url}</code>
                </td>
                <td>{target.has_stream_key ? 'saved' : <span class="muted">none</span>}</td>
                <td>
                  <Time at={target.created_at} />
                </td>
                <RowActions of={target.name} may={may.value('manage')}>
                  <Item danger onClick={() => setOpen(target)}>
                    Delete…
                  </Item>
                </RowActions>
              </tr>
            ))}
          </Table>
        )}
      </section>
      {open === 'add' && <AddTarget onDone={done} onClose={close} />}
      {typeof open === 'object' && <DeleteTarget of={open} onDone={done} onClose={close} />}
    </Page>
  );
}

interface Closing {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function AddTarget({ onDone, onClose }: Closing) {
  return (
    <FormDialog
      title="New target"
      submit="Add target"
      intent={(fields) => {
        const [name, url] = [given(fields, 'name') ?? '', given(fields, 'url') ?? ''];
        const stream_key = given(fields, 'stream_key');
        const body = { name, url, ...(stream_key === undefined ? {} : { stream_key }) };
        return { method: 'POST', path: '/connections', body };
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={64} />
      <Field label="Address" name="url" required placeholder="rtmps://example.com/app" />
      <Field label="Stream key" name="stream_key" type="password" hint="It is never shown again." />
    </FormDialog>
  );
}

function DeleteTarget({ of: { name }, onDone, onClose }: Closing & { of: Connection }) {
  return (
    <FormDialog
      title={`Delete ${name}?`}
      submit="Delete target"
      danger
      intent={() => ({
        method: 'DELETE',
        path: `/connections/${encodeURIComponent(name)}`,
        vc: ['connection', 'rm', '--', name],
      })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>Streams that run to it continue.</p>
    </FormDialog>
  );
}

/** Milliseconds until the statuses are read again. */
const AGAIN_MS = 5_000;

/** The computers whose screens are streamed now, and those whose last stream has failed. */
function StreamLists() {
  const on = [...computers.value.values()].filter(({ status }) => status === 'running');
  const key = `streams ${isListed.value} ${on.map(({ id }) => id).join()}`;
  const { value, failure, reload } = useData(key, (signal) => readStatuses(on, signal));
  const isShown = isVisible.value;
  useEffect(() => {
    if (!isShown || (value ?? failure) === undefined) return undefined;
    const timer = setTimeout(reload, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [value, failure, isShown]);
  const stop = ({ id, name }: Computer) =>
    void request('POST', `/computers/${id}/stream/stop`)
      .catch((error: unknown) => tellFailure(`Could not stop the stream of ${name}`, error))
      .then(reload);
  const running = value?.streams.filter(({ stream }) => stream.status === 'streaming') ?? [];
  const failed = value?.streams.filter(({ stream }) => stream.status === 'terminated') ?? [];
  const problem = failure ?? value?.failure;
  return (
    <>
      <FailureNote failure={problem} />
      <section aria-labelledby="running">
        <h2 id="running">Running</h2>
        {value === undefined && problem === undefined && <p class="muted">Reading…</p>}
        {value !== undefined && problem === undefined && running.length === 0 && (
          <p class="muted">No screen is streamed. Start one in the live view of a computer.</p>
        )}
        <StreamRows streams={running} onStop={stop} />
      </section>
      {failed.length > 0 && (
        <section aria-labelledby="failed">
          <h2 id="failed">Failed</h2>
          <StreamRows streams={failed} />
        </section>
      )}
    </>
  );
}

interface StreamRowsProps {
  readonly streams: readonly Streaming[];
  readonly onStop?: (computer: Computer) => void;
}

function StreamRows({ streams, onStop }: StreamRowsProps) {
  if (streams.length === 0) return null;
  return (
    <ul class="plain rows">
      {streams.map(({ computer, stream }) => (
        <li key={computer.id}>
          <a class="break" href={`/computers/${computer.id}`}>
            {computer.project_name}/{computer.name}
          </a>
          {isHealthy(stream) ? (
            <span class="muted">
              since <Time at={stream.start_time} />
            </span>
          ) : (
            <span class="outcome bad break">{troubleOf(stream)}</span>
          )}
          {onStop !== undefined && may.value('act') && (
            <button type="button" class="small" onClick={() => onStop(computer)}>
              Stop
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
