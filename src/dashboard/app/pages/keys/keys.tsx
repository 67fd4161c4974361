import { useState } from 'preact/hooks';
import { keyLines } from '../../api/commands.js';
import { call } from '../../api/http.js';
import type { CreatedKey, Key } from '../../api/types.js';
import { Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Copy } from '../../components/forms/copy.js';
import { Dialog, Done } from '../../components/forms/dialog.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { may, session } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { usedOf } from './budgets.js';
import { ChangeKey, CreateKey, RevokeKey } from './dialogs.js';

/** The API keys of the owner. */
export function Keys() {
  const canManage = may.value('manage');
  const { value, failure, reload } = useData(`keys ${canManage}`, async (signal) =>
    canManage ? call<{ keys: readonly Key[] }>('GET', '/keys', { signal }) : undefined,
  );
  const [open, setOpen] = useState<OpenKey>();
  const [created, setCreated] = useState<CreatedKey>();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    reload();
  };
  const show = (key: CreatedKey) => {
    setCreated(key);
    done();
  };
  const create = canManage && (
    <button type="button" class="primary" onClick={() => setOpen({ kind: 'create' })}>
      <Icon name="plus" />
      New key
    </button>
  );
  return (
    <Page
      title="Keys"
      lead="Programs and people use the service with a key. Give each its own."
      actions={create}
    >
      {!canManage && (
        <Empty title="Your key may not manage keys">
          <p>Log in with one that may manage.</p>
        </Empty>
      )}
      <FailureNote failure={failure} />
      {value !== undefined && <KeyTable keys={value.keys} onOpen={setOpen} />}
      {open?.kind === 'create' && <CreateKey onDone={show} onClose={close} />}
      {open?.kind === 'change' && <ChangeKey of={open.of} onDone={done} onClose={close} />}
      {open?.kind === 'revoke' && <RevokeKey of={open.of} onDone={done} onClose={close} />}
      {created !== undefined && <NewKey created={created} onClose={() => setCreated(undefined)} />}
    </Page>
  );
}

const COLUMNS = [
  'Name',
  'Key',
  'Rights',
  'Project',
  'Used of its budget',
  'Last used',
  'Expires',
  ACTIONS,
] as const;

/** The dialog that is open. */
type OpenKey =
  | { readonly kind: 'create' }
  | { readonly kind: 'change' | 'revoke'; readonly of: Key };

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly onOpen: (open: OpenKey) => void;
}

function KeyTable({ keys, onOpen }: KeyTableProps) {
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
      <td>{usedOf(key) ?? <span class="muted">no limit</span>}</td>
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

/** A new key, the only time that it is shown. */
function NewKey({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const base = `${location.origin}/api`;
  return (
    <Dialog title={`Key ${created.name}`} onClose={onClose}>
      <p>Copy it now. It is shown only this once.</p>
      {keyLines(created.key, base).map(({ name, text, copy }) => (
        <section class="once" key={name} aria-label={name}>
          <h3>{name}</h3>
          <code class="break">{text}</code>
          <Copy text={() => text}>{copy}</Copy>
        </section>
      ))}
      <Done onClose={onClose} />
    </Dialog>
  );
}
