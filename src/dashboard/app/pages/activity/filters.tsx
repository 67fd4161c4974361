import { useLocation } from 'preact-iso';
import { query as queryOf } from '../../api/http.js';
import type { AuditEntry } from '../../api/types.js';
import { Icon } from '../../components/icon.js';
import { computers } from '../../state/wall.js';
import { keyOf } from './read.js';

interface AuditFiltersProps {
  readonly entries: readonly AuditEntry[];
  readonly nameOf: (id: string | null) => string | null;
}

/** Filters, kept in the address. */
export function AuditFilters({ entries, nameOf }: AuditFiltersProps) {
  const { query, path, route } = useLocation();
  const set = (name: string, value: string) =>
    route(`${path}${queryOf({ ...query, [name]: value })}`, true);
  const ids = [
    ...new Set([...computers.value.keys(), ...(query.computer ? [query.computer] : [])]),
  ];
  const keys = [...new Set([...entries.map(keyOf), ...(query.key ? [query.key] : [])])].sort();
  const choices = [
    { name: 'computer', label: 'All computers', options: ids.map((id) => [id, nameOf(id) ?? id]) },
    { name: 'key', label: 'Any key', options: keys.map((key) => [key, key]) },
    {
      name: 'outcome',
      label: 'Any outcome',
      options: [
        ['ok', 'succeeded'],
        ['failed', 'failed'],
      ],
    },
  ];
  return (
    <search class="filters">
      <label class="search">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Action"
          aria-label="Filter by action"
          value={query.action ?? ''}
          onInput={(event) => set('action', event.currentTarget.value)}
        />
      </label>
      {choices.map(({ name, label, options }) => (
        <select
          key={name}
          aria-label={label}
          value={query[name] ?? ''}
          onChange={(event) => set(name, event.currentTarget.value)}
        >
          <option value="">{label}</option>
          {options.map(([value, text]) => (
            <option key={value} value={value} selected={value === query[name]}>
              {text}
            </option>
          ))}
        </select>
      ))}
    </search>
  );
}
