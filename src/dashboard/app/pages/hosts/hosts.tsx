import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Lists } from '../../api/types.js';
import { Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { useData } from '../../state/use-data.js';
import { isVisible } from '../../state/visibility.js';
import { pauseOf } from './describe.js';
import { HostDialog, type OpenHost } from './dialogs.js';
import { Drains } from './drains.js';
import { HostTable } from './host-table.js';

/** The members of the cluster; for administrators. */
export function Hosts() {
  const { value, failure, reload } = useData('hosts', (signal) =>
    call<Lists['members']>('GET', '/cluster/members', { signal }),
  );
  const [open, setOpen] = useState<OpenHost>();
  const close = () => setOpen(undefined);
  const visible = isVisible.value;
  useEffect(() => {
    if (!visible) return undefined;
    const timer = setTimeout(reload, pauseOf(value?.members));
    return () => clearTimeout(timer);
  }, [visible, value, failure, reload]);
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
