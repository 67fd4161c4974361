import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Lists, Volume } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { formatBytes } from '../../state/paths.js';
import { may, ofAllProjects } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { usersOf } from '../images/users.js';
import { CreateVolume, DeleteVolume } from './dialogs.js';

const COLUMNS = [
  'Name',
  'Engine',
  { text: 'Size', kind: 'number' },
  { text: 'Used by', kind: 'number' },
  'Created',
  ACTIONS,
] as const;

type Open = { readonly kind: 'create' } | { readonly kind: 'delete'; readonly of: Volume };

/** Directories that computers share and that outlive them. */
export function Volumes() {
  const { value, failure, reload } = useData('volumes', (signal) =>
    call<Lists['volumes']>('GET', '/volumes', { signal }),
  );
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    reload();
  };
  // They belong to the owner, not to a project.
  const mayChange = may.value('manage') && ofAllProjects.value;
  const create = mayChange && (
    <button type="button" class="primary" onClick={() => setOpen({ kind: 'create' })}>
      <Icon name="plus" />
      New volume
    </button>
  );
  return (
    <Page
      title="Volumes"
      lead="Directories that computers share and that outlive them. A new computer mounts them."
      actions={create}
    >
      <FailureNote failure={failure} />
      {value?.volumes.length === 0 && (
        <Empty title="No volume yet">
          <p>Create one here, or with the command line:</p>
          <Commands
            lines={['vc volume create data', 'vc create demo/desktop --volume data:/data']}
          />
        </Empty>
      )}
      {value !== undefined && value.volumes.length > 0 && (
        <Table columns={COLUMNS}>
          {value.volumes.map((volume) => (
            <tr key={volume.name}>
              <th scope="row">{volume.name}</th>
              <td>{volume.engine}</td>
              <td class="number nowrap">{formatBytes(volume.bytes)}</td>
              <td class="number nowrap">{usersOf(volume)}</td>
              <td>
                <Time at={volume.created_at} />
              </td>
              <RowActions of={volume.name} may={mayChange}>
                <Item icon="trash" danger onClick={() => setOpen({ kind: 'delete', of: volume })}>
                  Delete…
                </Item>
              </RowActions>
            </tr>
          ))}
        </Table>
      )}
      {open?.kind === 'create' && <CreateVolume onDone={done} onClose={close} />}
      {open?.kind === 'delete' && <DeleteVolume of={open.of} onDone={done} onClose={close} />}
    </Page>
  );
}
