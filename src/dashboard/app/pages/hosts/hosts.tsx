import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Lists, Member } from '../../api/types.js';
import { Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Time } from '../../components/time.js';
import { useData, useRefresh } from '../../state/use-data.js';
import { computers } from '../../state/wall.js';
import { pauseOf } from './describe.js';
import { HostDialog, type OpenHost } from './dialogs.js';
import { HostTable } from './host-table.js';

/** The members of the cluster; for administrators. */
export function Hosts() {
  const data = useData('hosts', (signal) =>
    call<Lists['members']>('GET', '/cluster/members', { signal }),
  );
  const { value, failure, reload } = data;
  const [open, setOpen] = useState<OpenHost>();
  const close = () => setOpen(undefined);
  useRefresh(data, pauseOf(value?.members));
  const members = value?.members ?? [];
  return (
    <Page
      title="Hosts"
      lead="The members of the cluster. Computers of all owners are counted; the list of computers has only yours."
    >
      <FailureNote failure={failure} />
      {value !== undefined && members.length === 0 && (
        <Empty title="No members">
          <p>The engine runs on one server that is no cluster.</p>
        </Empty>
      )}
      {members.length > 0 && <HostTable members={members} onOpen={setOpen} />}
      <Drains members={members} />
      {open !== undefined && (
        <HostDialog
          open={open}
          members={members}
          onDone={() => {
            close();
            reload();
          }}
          onClose={close}
        />
      )}
    </Page>
  );
}

/** How far the drains of members are. */
function Drains({ members }: { members: readonly Member[] }) {
  const drained = members.filter(({ drain }) => drain !== null);
  if (drained.length === 0) return null;
  return (
    <section>
      <h2>Drains</h2>
      <ul class="plain drains">
        {drained.map((member) => (
          <Progress key={member.name} of={member} />
        ))}
      </ul>
    </section>
  );
}

function Progress({ of: { name, drain, computer_count: left } }: { of: Member }) {
  if (drain === null) return null;
  const { since, moving, failed } = drain;
  return (
    <li>
      <p>
        <strong class="break">{name}</strong>{' '}
        {left === 0
          ? 'has no computers any more'
          : `has ${left} ${left === 1 ? 'computer' : 'computers'} left`}
        {moving !== null && (
          <>
            , <Named id={moving} /> is being moved
          </>
        )}
        <span class="muted">
          ; requested <Time at={since} />
        </span>
      </p>
      {left > 0 && moving !== null && <progress aria-label={`${name} is being drained`} />}
      {failed.length > 0 && (
        <>
          <p class="outcome bad">
            Not moved; the service tries again. Choose <em>Try again…</em> to do it now.
          </p>
          <ul class="plain rows">
            {failed.map(({ id, error }) => (
              <li key={id}>
                <Named id={id} />
                <span class="break">{error}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </li>
  );
}

/** A computer by its name, or by its id if it is of another owner. */
function Named({ id }: { id: string }) {
  const computer = computers.value.get(id);
  if (computer === undefined) return <code class="id">{id}</code>;
  return (
    <a class="break" href={`/computers/${id}`}>
      {computer.project_name}/{computer.name}
    </a>
  );
}
