import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { asFailure, type Failure } from '../../api/failure.js';
import type { AuditEntry } from '../../api/types.js';
import { Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { returns } from '../../state/connection.js';
import { computers } from '../../state/wall.js';
import { AuditTable } from './audit-table.js';
import { ExportMenu } from './export.js';
import { AuditFilters } from './filters.js';
import { matchesEntry, PAGE, readEntries } from './read.js';

/** The audit log: who did what, when, and how it ended. */
export function Activity() {
  const { query } = useLocation();
  const { computer = '' } = query;
  const [entries, setEntries] = useState<readonly AuditEntry[]>();
  const [failure, setFailure] = useState<Failure>();
  const [isMore, setMore] = useState(false);
  const back = returns.value;
  const load = async (earlier: readonly AuditEntry[]) => {
    try {
      const page = await readEntries({ computer, before: earlier.at(-1)?.id });
      setEntries([...earlier, ...page]);
      setMore(page.length === PAGE);
      setFailure(undefined);
    } catch (error) {
      setFailure(asFailure(error));
    }
  };
  // `back` grows when the service is back.
  useEffect(() => {
    void load([]);
  }, [computer, back]);
  const shown = entries?.filter((entry) => matchesEntry(entry, query));
  const nameOf = (id: string | null) => {
    const known = computers.value.get(id ?? '');
    return known === undefined ? id : `${known.project_name}/${known.name}`;
  };
  return (
    <Page
      title="Activity"
      lead="What keys, people and the service did. Texts, commands and file names are never recorded."
      actions={
        <>
          <button type="button" onClick={() => void load([])}>
            Refresh
          </button>
          <ExportMenu filters={query} />
        </>
      }
    >
      <AuditFilters entries={entries ?? []} nameOf={nameOf} />
      <FailureNote failure={failure} />
      {shown?.length === 0 && <Empty title="Nothing here">No entry matches.</Empty>}
      {shown !== undefined && shown.length > 0 && <AuditTable entries={shown} nameOf={nameOf} />}
      {isMore && (
        <p>
          <button type="button" onClick={() => void load(entries ?? [])}>
            Show earlier entries
          </button>
        </p>
      )}
    </Page>
  );
}
