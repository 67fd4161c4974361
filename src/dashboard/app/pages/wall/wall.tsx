import { useComputed } from '@preact/signals';
import { useCallback, useState } from 'preact/hooks';
import { Commands, Empty } from '../../components/empty.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { may } from '../../state/session.js';
import { computers, isListed } from '../../state/wall.js';
import { BulkBar } from './bulk-bar.js';
import { CreateComputer } from './create-computer.js';
import { FilterBar } from './filter-bar.js';
import { matches, useFilters } from './filters.js';
import { Tiles } from './tiles.js';
import { WallTable } from './wall-table.js';

/** All computers, as pictures or as a table. */
export function Wall() {
  const [filters, setFilters] = useFilters();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isCreating, setCreating] = useState(false);
  const all = useComputed(() => [...computers.value.values()]).value;
  const shown = all.filter((computer) => matches(computer, filters));
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
      {shown.length > 0 && <List computers={shown} selected={selected} onSelect={select} />}
      {chosen.length > 0 && (
        <BulkBar
          chosen={chosen}
          onAll={() => setSelected(new Set(shown.map(({ id }) => id)))}
          onNone={() => setSelected(new Set())}
        />
      )}
      {isCreating && (
        <CreateComputer project={filters.project} onClose={() => setCreating(false)} />
      )}
    </Page>
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
