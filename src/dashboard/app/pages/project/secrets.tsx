import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { Lists, Project, Secret } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { DeleteSecret, SetSecret } from './dialogs.js';

type Open = { readonly kind: 'set' | 'delete'; readonly of?: Secret };

/** The secrets of a project, by their names: the values are never shown. */
export function Secrets({ project }: { project: Project }) {
  const path = `/projects/${encodeURIComponent(project.id)}/secrets`;
  const { value, failure, reload } = useData(path, (signal) =>
    call<Lists['secrets']>('GET', path, { signal }),
  );
  const [open, setOpen] = useState<Open>();
  const canManage = may.value('manage');
  const secrets = value?.secrets ?? [];
  const dialog = {
    project, path,
    onDone: () => {
      setOpen(undefined);
      reload();
    },
    onClose: () => setOpen(undefined),
  };
  return (
    <section aria-labelledby="secrets">
      <header class="head">
        <div>
          <h2 id="secrets">Secrets</h2>
          <p class="muted">Values that can be typed into its computers, and are never shown.</p>
        </div>
        {canManage && (
          <button type="button" class="primary" onClick={() => setOpen({ kind: 'set' })}>
            <Icon name="plus" />
            New secret
          </button>
        )}
      </header>
      <FailureNote failure={failure} />
      {value !== undefined && secrets.length === 0 && (
        <Empty title="No secrets yet">
          <p>Set one here, or with the command line:</p>
          <Commands lines={[`vc secret set SHOP_PASSWORD -p ${project.name}`]} />
        </Empty>
      )}
      {secrets.length > 0 && (
        <Table columns={['Name', 'Created', 'Changed', ACTIONS]}>
          {secrets.map((secret) => (
            <tr key={secret.name}>
              <th scope="row">{secret.name}</th>
              <td>
                <Time at={secret.created_at} />
              </td>
              <td>
                <Time at={secret.updated_at} />
              </td>
              <RowActions of={secret.name} may={canManage}>
                <Item onClick={() => setOpen({ kind: 'set', of: secret })}>Replace…</Item>
                <Item danger onClick={() => setOpen({ kind: 'delete', of: secret })}>
                  Delete…
                </Item>
              </RowActions>
            </tr>
          ))}
        </Table>
      )}
      {open?.kind === 'set' && <SetSecret of={open.of} {...dialog} />}
      {open?.kind === 'delete' && open.of && <DeleteSecret {...dialog} of={open.of} />}
    </section>
  );
}
