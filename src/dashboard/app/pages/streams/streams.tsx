import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Connection, Lists } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { AddTarget, DeleteTarget } from './dialogs.js';
import { Running } from './running.js';

/** Targets of streams, and the streams that run. */
export function Streams() {
  const { value, failure, reload } = useData('connections', (signal) =>
    call<Lists['connections']>('GET', '/connections', { signal }),
  );
  const [open, setOpen] = useState<'add' | Connection>();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    reload();
  };
  const targets = value?.connections ?? [];
  const add = may.value('manage') && (
    <button type="button" class="primary" onClick={() => setOpen('add')}>
      <Icon name="plus" />
      New target
    </button>
  );
  return (
    <Page title="Streams" lead="Screens are streamed to RTMP targets." actions={add}>
      <FailureNote failure={failure} />
      <section aria-labelledby="running">
        <h2 id="running">Running</h2>
        <Running />
      </section>
      <section aria-labelledby="targets">
        <h2 id="targets">Targets</h2>
        {value !== undefined && targets.length === 0 && (
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
