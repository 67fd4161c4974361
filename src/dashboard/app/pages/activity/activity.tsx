import type { Attributes } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { asFailure, type Failure } from '../../api/failure.js';
import { query as queryOf } from '../../api/http.js';
import type { AuditEntry, Computer } from '../../api/types.js';
import { Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { Icon } from '../../components/icon.js';
import { Item, Menu } from '../../components/menu.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { returns } from '../../state/connection.js';
import { tell, tellFailure } from '../../state/notices.js';
import { save } from '../../state/save.js';
import { isVisible } from '../../state/visibility.js';
import { computers } from '../../state/wall.js';
import {
  detailOf,
  duration,
  endOf,
  type Filters,
  FOLLOWED,
  joined,
  keyOf,
  PAGE,
  readAll,
  readEntries,
} from './read.js';
import { Sentence } from './sentence.js';

/** Milliseconds without another key until the entries are read. */
const TYPED_MS = 200;
/** Milliseconds between two looks at the newest entries. */
const FOLLOW_MS = 5_000;

/** The audit log, or that of one computer: who did what, when, and how it ended. */
export function Activity({ computer }: Attributes & { computer?: Computer }) {
  const given = useLocation().query;
  const query = computer === undefined ? given : { ...given, computer: computer.id };
  const asked = queryOf(query);
  const [entries, setEntries] = useState<readonly AuditEntry[]>();
  const [failure, setFailure] = useState<Failure>();
  const [isMore, setMore] = useState(false);
  const keys = useRef(new Set<string>());
  /** Ends what is read for the present filters. */
  const current = useRef(new AbortController());
  const back = returns.value;
  const load = async (earlier: readonly AuditEntry[]) => {
    const { signal } = current.current;
    try {
      const page = await readEntries(query, { before: earlier.at(-1)?.id, signal });
      for (const entry of page) keys.current.add(keyOf(entry));
      setEntries([...earlier, ...page]);
      setMore(page.length === PAGE);
      setFailure(undefined);
    } catch (error) {
      if (!signal.aborted) setFailure(asFailure(error));
    }
  };
  // `back` grows when the service is back.
  useEffect(() => {
    const left = new AbortController();
    current.current = left;
    // Until the first page is there, the entries are those of other filters.
    setMore(false);
    const timer = setTimeout(() => void load([]), entries === undefined ? 0 : TYPED_MS);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [asked, back]);
  // Follows what happens, while the page can be seen.
  const visible = isVisible.value;
  useEffect(() => {
    if (!visible || entries === undefined) return undefined;
    const timer = setTimeout(async () => {
      const { signal } = current.current;
      const newest = await readEntries(query, { limit: FOLLOWED, signal }).catch(() => []);
      if (signal.aborted) return;
      for (const entry of newest) keys.current.add(keyOf(entry));
      const all = joined(newest, entries);
      // Between the newest and the known ones some are missing.
      if (all === undefined) void load([]);
      else setEntries(all);
    }, FOLLOW_MS);
    return () => clearTimeout(timer);
  }, [asked, entries, visible]);
  const nameOf = (id: string | null) => {
    const known = computers.value.get(id ?? '');
    return known === undefined ? id : `${known.project_name}/${known.name}`;
  };
  const actions = <ExportMenu filters={query} />;
  const content = (
    <>
      <AuditFilters known={keys.current} nameOf={nameOf} isOfOne={computer !== undefined} />
      <FailureNote failure={failure} />
      {entries?.length === 0 && <Empty title="Nothing here">No entry matches.</Empty>}
      {entries !== undefined && entries.length > 0 && <AuditTable entries={entries} />}
      {isMore && (
        <p>
          <button type="button" onClick={() => void load(entries ?? [])}>
            Show earlier entries
          </button>
        </p>
      )}
    </>
  );
  if (computer !== undefined) {
    return (
      <div class="page">
        <header class="head">
          <div>
            <h2>Activity</h2>
          </div>
          <div class="actions">{actions}</div>
        </header>
        {content}
      </div>
    );
  }
  return (
    <Page
      title="Activity"
      lead="What keys, people and the service did. Texts, commands and file names are never recorded."
      actions={actions}
    >
      {content}
    </Page>
  );
}

const COLUMNS = ['Ended', 'What', 'Details', { text: 'Took', kind: 'number' }, 'Outcome'] as const;

/** The look of outcomes that are no errors: closing a terminal cancels its process. */
const OUTCOMES: Readonly<Record<string, string>> = { ok: 'outcome', cancelled: 'muted' };

function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <Table class="audit" columns={COLUMNS}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <td>
            <Time at={endOf(entry)} />
          </td>
          <th scope="row">
            <Sentence entry={entry} />
          </th>
          <td class="muted">
            {entry.action} {detailOf(entry)}
          </td>
          <td class="number nowrap">{duration(entry.ms)}</td>
          <td>
            <span class={OUTCOMES[entry.outcome] ?? 'outcome bad'}>{entry.outcome}</span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Saves all entries that match, also those that the page does not show yet. */
function ExportMenu({ filters }: { filters: Filters }) {
  const write = async (kind: 'csv' | 'jsonl') => {
    try {
      const parts = kind === 'csv' ? [`${CSV_COLUMNS.join(',')}\n`] : [];
      let count = 0;
      for await (const page of readAll(filters)) {
        count += page.length;
        const line = kind === 'csv' ? csvLine : (entry: AuditEntry) => JSON.stringify(entry);
        parts.push(page.map((entry) => `${line(entry)}\n`).join(''));
      }
      save(`activity.${kind}`, new Blob(parts, { type: 'text/plain' }));
      tell(`${count} entries saved`);
    } catch (error) {
      tellFailure('Could not export the activity', error);
    }
  };
  return (
    <Menu label="Export" icon="download" wide>
      <Item onClick={() => void write('csv')}>CSV</Item>
      <Item onClick={() => void write('jsonl')}>JSON lines</Item>
    </Menu>
  );
}

const CSV_COLUMNS = ['id', 'at', 'action', 'computer_id', 'key', 'detail', 'ms', 'outcome'];

/** A line of CSV; a value that a spreadsheet would take for a formula is preceded by an apostrophe. */
function csvLine(entry: AuditEntry): string {
  const { id, at, action, computer_id, ms, outcome } = entry;
  return [id, at, action, computer_id ?? '', keyOf(entry), detailOf(entry), ms, outcome]
    .map((value) => String(value).replace(/^[=+\-@\t\r]/, "'$&"))
    .map((value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(',');
}

interface AuditFiltersProps {
  /** Names of keys that have entries. */
  readonly known: ReadonlySet<string>;
  readonly nameOf: (id: string | null) => string | null;
  /** Leaves out the choice of a computer. */
  readonly isOfOne: boolean;
}

/** Filters, kept in the address. */
function AuditFilters({ known, nameOf, isOfOne }: AuditFiltersProps) {
  const { query, path, route } = useLocation();
  const set = (name: string, value: string) =>
    route(`${path}${queryOf({ ...query, [name]: value })}`, true);
  const ids = [
    ...new Set([...computers.value.keys(), ...(query.computer ? [query.computer] : [])]),
  ];
  const keys = [...new Set([...known, ...(query.key ? [query.key] : [])])].sort();
  const choices = [
    ...(isOfOne
      ? []
      : [
          {
            name: 'computer',
            label: 'All computers',
            options: ids.map((id) => [id, nameOf(id) ?? id]),
          },
        ]),
    { name: 'key', label: 'Any key', options: keys.map((key) => [key, key]) },
    {
      name: 'outcome',
      label: 'Any outcome',
      options: [
        ['ok', 'ok'],
        ['failed', 'failed'],
        ['cancelled', 'cancelled'],
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
