import { useComputed } from '@preact/signals';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { call } from '../../api/http.js';
import type { Me, WallComputer } from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { loaded } from '../../components/loaded.js';
import { forgetPictures } from '../../state/pictures.js';
import { shownStatus } from '../../state/power.js';
import { may } from '../../state/session.js';
import { useData } from '../../state/use-data.js';
import { visible } from '../../state/visible.js';
import { computers, isListed } from '../../state/wall.js';
import { FilterBar } from './filter-bar.js';
import { filterQuery, grouped, matches, ordered, useFilters } from './filters.js';
import { Tiles } from './tiles.js';

const CreateComputer = loaded(async () => (await import('./create-computer.js')).CreateComputer);
const WallTable = loaded(async () => (await import('./wall-table.js')).WallTable);
const BulkBar = loaded(async () => (await import('./bulk-bar.js')).BulkBar);

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
          onClose={() => setSelected(new Set())}
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
