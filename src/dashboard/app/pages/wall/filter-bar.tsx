import type { Computer } from '../../api/types.js';
import { Icon } from '../../components/icon.js';
import { type Filters, groupsOf } from './filters.js';

/** How choices are shown that are no names. */
const TEXTS: Readonly<Record<string, string>> = {
  newest: 'Newest first',
  small: 'Small tiles',
  large: 'Large tiles',
};

interface Choice {
  readonly name: 'project' | 'status' | 'engine' | 'member' | 'group' | 'sort' | 'size';
  /** What no choice means. */
  readonly label: string;
  /** What is chosen, if it is no filter. */
  readonly title?: string;
  readonly values: readonly string[];
}

const SIZE: Choice = {
  name: 'size',
  label: 'Medium tiles',
  title: 'Size of tiles',
  values: ['small', 'large'],
};

interface FilterBarProps {
  readonly all: readonly Computer[];
  readonly shown: number;
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** Search, choices, and the form of the list. */
export function FilterBar({ all, shown, filters, onChange }: FilterBarProps) {
  const values = (of: (computer: Computer) => string) => [...new Set(all.map(of))].sort();
  const members = values(({ member }) => member ?? '').filter((name) => name !== '');
  const ofMember: Choice = { name: 'member', label: 'All members', values: members };
  const choices: readonly Choice[] = [
    { name: 'project', label: 'All projects', values: values((each) => each.project_name) },
    { name: 'status', label: 'Any status', values: values((each) => each.status) },
    { name: 'engine', label: 'All engines', values: values((each) => each.engine) },
    ...(members.length > 0 || filters.member !== undefined ? [ofMember] : []),
    { name: 'group', label: 'No groups', title: 'Group', values: groupsOf(all) },
    { name: 'sort', label: 'Oldest first', title: 'Order', values: ['newest', 'name'] },
    ...(filters.view === 'table' ? [] : [SIZE]),
  ];
  return (
    <search class="filters">
      <label class="search">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter by name, or by label:NAME=VALUE"
          value={filters.text ?? ''}
          onInput={(event) => onChange({ ...filters, text: event.currentTarget.value })}
        />
      </label>
      {choices.map(({ name, label, title, values: options }) => (
        <select
          key={name}
          aria-label={title ?? label}
          value={filters[name] ?? ''}
          onChange={(event) =>
            onChange({ ...filters, [name]: event.currentTarget.value || undefined })
          }
        >
          <option value="">{label}</option>
          {[...new Set([...options, ...(filters[name] ? [filters[name]] : [])])].map((value) => (
            <option key={value} value={value} selected={value === filters[name]}>
              {title === undefined ? value : (TEXTS[value] ?? `By ${value}`)}
            </option>
          ))}
        </select>
      ))}
      <output class="muted">
        {shown === all.length ? all.length : `${shown} of ${all.length}`}
      </output>
      <fieldset class="switch">
        <legend class="offscreen">Show as</legend>
        {(['tiles', 'table'] as const).map((view) => {
          const isOn = (filters.view ?? 'tiles') === view;
          const choose = () => onChange({ ...filters, view: view === 'table' ? view : undefined });
          return (
            <button
              key={view}
              type="button"
              class="square"
              aria-pressed={isOn}
              aria-label={view === 'table' ? 'Table' : 'Tiles'}
              onClick={choose}
            >
              <Icon name={view} />
            </button>
          );
        })}
      </fieldset>
    </search>
  );
}
