import { useEffect, useRef, useState } from 'preact/hooks';
import { quote } from '../../api/commands.js';
import { call } from '../../api/http.js';
import type { Computer, Lists, Snapshot } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Icon } from '../../components/icon.js';
import { Item } from '../../components/menu.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { formatBytes } from '../../state/paths.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { ForkDialog, SaveImageDialog } from './copy-dialogs.js';
import { CreateSnapshot, DeleteSnapshot, ResetDialog } from './dialogs.js';
import { type Row, rowsOf } from './tree.js';

const COLUMNS = [
  'Name',
  'After',
  'Made',
  { text: 'Size', kind: 'number' },
  'Memory',
  ACTIONS,
] as const;

/** A dialog; without `of` it is about the computer itself. */
interface Open {
  readonly kind: 'create' | 'reset' | 'fork' | 'image' | 'delete';
  readonly of?: Snapshot;
}

/** The snapshots of a computer as a tree. */
export function Snapshots({ computer }: { computer: Computer }) {
  const { id, status } = computer;
  const { value, failure, reload } = useData(`snapshots ${id}`, (signal) =>
    call<Lists['snapshots']>('GET', `/computers/${id}/snapshots`, { signal }),
  );
  const [open, setOpen] = useState<Open>();
  // A reset that is complete has changed which snapshot is the current one.
  const shown = useRef(status);
  useEffect(() => {
    if (shown.current !== status) reload();
    shown.current = status;
  }, [status]);
  const rows = rowsOf(value?.snapshots ?? []);
  return (
    <div class="page">
      <header class="head">
        <div>
          <h2>Snapshots</h2>
          <p class="muted">The computer at one moment, to go back to or to fork from.</p>
        </div>
        <div class="actions">
          {may.value('act') && (
            <button type="button" onClick={() => setOpen({ kind: 'reset' })}>
              <Icon name="restart" />
              Reset to creation…
            </button>
          )}
          {may.value('manage') && (
            <button type="button" class="primary" onClick={() => setOpen({ kind: 'create' })}>
              <Icon name="plus" />
              New snapshot
            </button>
          )}
        </div>
      </header>
      <FailureNote failure={failure} />
      {value === undefined && failure === undefined && <p class="muted">Loading…</p>}
      {value !== undefined && rows.length === 0 && (
        <Empty title="No snapshots yet">
          <p>Create one here, or with the command line:</p>
          <Commands
            lines={[
              `vc snapshot create ${quote(`${computer.project_name}/${computer.name}`)} clean`,
            ]}
          />
        </Empty>
      )}
      {rows.length > 0 && (
        <Table columns={COLUMNS}>
          {rows.map((row) => (
            <SnapshotRow key={row.snapshot.name} {...row} onOpen={setOpen} />
          ))}
        </Table>
      )}
      {open !== undefined && (
        <OpenDialog
          {...open}
          computer={computer}
          onDone={() => {
            setOpen(undefined);
            reload();
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

function SnapshotRow({
  snapshot,
  depth,
  isBranch,
  onOpen,
}: Row & { onOpen: (open: Open) => void }) {
  const { name, parent, created_at, bytes, memory, current } = snapshot;
  const canManage = may.value('manage');
  return (
    <tr aria-current={current ? 'true' : undefined}>
      <th scope="row" class="branch" data-branch={isBranch} style={{ '--depth': String(depth) }}>
        {name} {current && <span class="badge">current</span>}
      </th>
      <td>{parent ?? <span class="muted">none</span>}</td>
      <td>
        <Time at={created_at} />
      </td>
      <td class="number nowrap">{formatBytes(bytes)}</td>
      <td>{memory ? 'yes' : 'no'}</td>
      <RowActions of={name} may={may.value('act')}>
        <Item icon="restart" onClick={() => onOpen({ kind: 'reset', of: snapshot })}>
          Reset to it…
        </Item>
        <Item
          icon="fork"
          disabled={!canManage}
          onClick={() => onOpen({ kind: 'fork', of: snapshot })}
        >
          Fork…
        </Item>
        <Item
          icon="images"
          disabled={!canManage}
          onClick={() => onOpen({ kind: 'image', of: snapshot })}
        >
          Save as image…
        </Item>
        <Item
          icon="trash"
          danger
          disabled={!canManage}
          onClick={() => onOpen({ kind: 'delete', of: snapshot })}
        >
          Delete…
        </Item>
      </RowActions>
    </tr>
  );
}

interface OpenProps extends Open {
  readonly computer: Computer;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function OpenDialog({ kind, of, ...dialog }: OpenProps) {
  const copied = { computer: dialog.computer, snapshot: of?.name, onClose: dialog.onClose };
  if (kind === 'create') return <CreateSnapshot {...dialog} />;
  if (kind === 'reset') return <ResetDialog of={of} {...dialog} />;
  if (kind === 'fork') return <ForkDialog {...copied} />;
  if (kind === 'image') return <SaveImageDialog {...copied} />;
  return of === undefined ? null : <DeleteSnapshot of={of} {...dialog} />;
}
