import type { Key } from '../../api/types.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { may, session } from '../../state/session.js';

const COLUMNS = ['Name', 'Key', 'Rights', 'Project', 'Last used', 'Expires', ACTIONS] as const;

/** The dialog that is open. */
export type OpenKey =
  | { readonly kind: 'create' }
  | { readonly kind: 'change' | 'revoke'; readonly of: Key };

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly onOpen: (open: OpenKey) => void;
}

export function KeyTable({ keys, onOpen }: KeyTableProps) {
  return (
    <Table class="keys" columns={COLUMNS}>
      {keys.map((key) => (
        <KeyRow key={key.id} of={key} onOpen={onOpen} />
      ))}
    </Table>
  );
}

function KeyRow({ of: key, onOpen }: { of: Key; onOpen: KeyTableProps['onOpen'] }) {
  const isOwn = key.id === session.value?.key.id;
  return (
    <tr>
      <th scope="row">
        <span class="break">{key.name}</span> {isOwn && <span class="badge">this session</span>}
      </th>
      <td>{key.prefix ? <code>{key.prefix}…</code> : <span class="muted">unknown</span>}</td>
      <td>
        <span class="badge" data-rights={key.rights}>
          {key.rights}
        </span>
      </td>
      <td>{key.project === null ? <span class="muted">all</span> : key.project.name}</td>
      <td>
        <Time at={key.last_used_at} />
      </td>
      <td>
        <Time at={key.expires_at} />
      </td>
      <RowActions of={key.name} may={may.value('manage')}>
        <Item onClick={() => onOpen({ kind: 'change', of: key })}>Change…</Item>
        <Item danger onClick={() => onOpen({ kind: 'revoke', of: key })}>
          Revoke…
        </Item>
      </RowActions>
    </tr>
  );
}
