import { useComputed } from '@preact/signals';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { call } from '../../api/http.js';
import type { Me, WallComputer } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { Dialog, Lost } from '../../components/forms/dialog.js';
import { Confirmation } from '../../components/forms/field.js';
import { Page } from '../../components/frame/page.js';
import { Icon, type IconName } from '../../components/icon.js';
import { StatusMark } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { type Power, perform, shownStatus } from '../../state/power.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { visible } from '../../state/visible.js';
import { computers, isListed } from '../../state/wall.js';
import { CreateComputer } from './create-computer.js';
import { FilterBar } from './filter-bar.js';
import { filterQuery, grouped, matches, ordered, useFilters } from './filters.js';
import { forgetPictures } from './pictures.js';
import { RunCommand } from './run-command.js';
import { creatorOf, type ListProps, Tiles } from './tiles.js';

const COLUMNS = [
  { text: 'Select', kind: 'hidden' },
  'Name',
  'Project',
  'Status',
  'Engine',
  'Size',
  'Image',
  'Made by',
  'Controlled by',
  'Created',
] as const;

/** The computers as a table. */
function WallTable({ computers, selected, onSelect }: ListProps) {
  return (
    <Table columns={COLUMNS}>
      {computers.map((computer) => (
        <tr key={computer.id}>
          <td>
            <input
              type="checkbox"
              aria-label={`Select ${computer.name}`}
              checked={selected.has(computer.id)}
              onChange={(event) => onSelect(computer.id, event.currentTarget.checked)}
            />
          </td>
          <th scope="row">
            <a class="break" href={`/computers/${computer.id}`}>
              {computer.name}
            </a>
          </th>
          <Text>{computer.project_name}</Text>
          <td>
            <StatusMark status={shownStatus(computer)} reason={computer.status_reason} />
          </td>
          <td>{computer.engine}</td>
          <td class="nowrap">
            {computer.cpu} CPU, {computer.ram} GB
          </td>
          <Text>{computer.image}</Text>
          <Text>{creatorOf(computer)}</Text>
          <Text>{computer.control?.holder.key_name ?? ''}</Text>
          <td>
            <Time at={computer.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** A name of any length, of which a few lines are shown. */
function Text({ children }: { children: string }) {
  return (
    <td>
      <span class="break">{children}</span>
    </td>
  );
}

/** All computers, as pictures or as a table. */
export function Wall() {
  const [filters, setFilters] = useFilters();
  const { query } = useLocation();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isCreating, setCreating] = useState(false);
  const all = useComputed(() => [...computers.value.values()]).value;
  const shown = ordered(
    all.filter((computer) => matches(computer, filters)),
    filters,
  );
  useEffect(() => forgetPictures(computers.value), [all]);
  const chosen = shown.filter(({ id }) => selected.has(id));
  const select = useCallback((id: string, isSelected: boolean) => {
    setSelected((before) => {
      const next = new Set(before);
      if (isSelected) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  const create = may.value('manage') && (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      New computer
    </button>
  );
  const List = filters.view === 'table' ? WallTable : Tiles;
  return (
    <Page title="Computers" actions={create}>
      {all.length > 0 && <Counts all={all} />}
      {all.length > 0 && (
        <FilterBar all={all} shown={shown.length} filters={filters} onChange={setFilters} />
      )}
      {isListed.value && all.length === 0 && <NoComputers />}
      {all.length > 0 && shown.length === 0 && (
        <Empty title="No computer matches">
          <button type="button" onClick={() => setFilters({ view: filters.view })}>
            Clear filters
          </button>
        </Empty>
      )}
      {grouped(shown, filters.group).map(([name, computers]) => (
        <div class="group" key={name} data-size={filters.size}>
          {filters.group !== undefined && (
            <h2 class="break">
              {visible(name) || 'none'} <span class="muted">{computers.length}</span>
            </h2>
          )}
          {computers.length > 0 && (
            <List computers={computers} selected={selected} onSelect={select} />
          )}
        </div>
      ))}
      {chosen.length > 0 && (
        <BulkBar
          chosen={chosen}
          onAll={() => setSelected(new Set(shown.map(({ id }) => id)))}
          onNone={() => setSelected(new Set())}
        />
      )}
      {(isCreating || query.create !== undefined) && may.value('manage') && (
        <CreateComputer
          project={filters.project}
          onClose={() => {
            setCreating(false);
            // Leaves the address that opened it.
            if (query.create !== undefined) setFilters(filters);
          }}
        />
      )}
    </Page>
  );
}

/** How many run, against the limit, and how many have failed. */
function Counts({ all }: { all: readonly WallComputer[] }) {
  const { value } = useData('limit', (signal) => call<Me>('GET', '/me', { signal }));
  const count = (status: string) => all.filter((each) => shownStatus(each) === status).length;
  const limit = value === undefined ? '' : ` of ${value.max_running}`;
  const counts: readonly { status: string; text: string; isNone?: boolean }[] = [
    { status: 'running', text: `${count('running')}${limit} running` },
    { status: 'error', text: `${count('error')} failed`, isNone: count('error') === 0 },
    { status: 'stopped', text: `${count('stopped')} stopped` },
  ];
  return (
    <ul class="plain counts">
      {counts.map(({ status, text, isNone }) => (
        <li key={status}>
          <a
            class="status"
            data-status={isNone ? '' : status}
            href={`/computers${filterQuery({ status })}`}
          >
            <span class="dot" aria-hidden="true" />
            {text}
          </a>
        </li>
      ))}
    </ul>
  );
}

function NoComputers() {
  return (
    <Empty title="No computers yet">
      <p>Create the first one here, or with two commands:</p>
      <Commands lines={['vc create desk', 'vc view desk']} />
    </Empty>
  );
}

interface BulkBarProps {
  readonly chosen: readonly WallComputer[];
  readonly onAll: () => void;
  readonly onNone: () => void;
}

/** What can be done with the computers that are selected. */
function BulkBar({ chosen, onAll, onNone }: BulkBarProps) {
  const [isAsking, setAsking] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const canAct = may.value('act');
  const those = (...status: string[]) => chosen.filter((each) => status.includes(each.status));
  const buttons: readonly { power: Power & IconName; name: string; of: WallComputer[] }[] = [
    { power: 'start', name: 'Start', of: those('stopped', 'error') },
    { power: 'stop', name: 'Stop', of: those('running', 'starting') },
  ];
  const count = chosen.length === 1 ? '1 computer' : `${chosen.length} computers`;
  return (
    <section class="bulk" aria-label="Selected computers">
      <strong>{chosen.length} selected</strong>
      <button type="button" class="small ghost" onClick={onAll}>
        All
      </button>
      <button type="button" class="small ghost" onClick={onNone}>
        None
      </button>
      <span class="gap" />
      {buttons.map(({ power, name, of }) => (
        <button
          key={power}
          type="button"
          disabled={!canAct || of.length === 0}
          onClick={() => void perform(power, of)}
        >
          <Icon name={power} />
          {name}
        </button>
      ))}
      <button
        type="button"
        disabled={!canAct || those('running').length === 0}
        onClick={() => setRunning(true)}
      >
        <Icon name="terminal" />
        Run a command
      </button>
      {isRunning && <RunCommand chosen={those('running')} onClose={() => setRunning(false)} />}
      {may.value('manage') && (
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          <Icon name="trash" />
          Delete
        </button>
      )}
      {isAsking && (
        <Dialog title={`Delete ${count}?`} onClose={() => setAsking(false)}>
          <p>Everything on their disks is lost. This cannot be undone.</p>
          <Lost names={chosen.map(({ name, project_name }) => `${project_name}/${name}`)} />
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              void perform('delete', chosen);
              setAsking(false);
              onNone();
            }}
          >
            {chosen.length > 1 && <Confirmation of={String(chosen.length)} />}
            <footer>
              <button type="button" data-first onClick={() => setAsking(false)}>
                Cancel
              </button>
              <button type="submit" class="danger">
                Delete {count}
              </button>
            </footer>
          </form>
        </Dialog>
      )}
    </section>
  );
}
