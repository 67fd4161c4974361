import type { AuditEntry } from '../../api/types.js';
import { Item, Menu } from '../../components/menu.js';
import { tell, tellFailure } from '../../state/notices.js';
import { save } from '../../state/save.js';
import { detailOf, keyOf, matchesEntry, readEntries } from './read.js';

/** Most entries of a file; the command line reads all: `vc audit`. */
const MOST = 20_000;
const AT_ONCE = 1_000;

/** Saves the entries that match, also those that the page does not show yet. */
export function ExportMenu({ filters }: { filters: Readonly<Record<string, string>> }) {
  const write = async (kind: 'csv' | 'jsonl') => {
    try {
      const entries = (await readAll(filters.computer)).filter((entry) =>
        matchesEntry(entry, filters),
      );
      const lines =
        kind === 'csv'
          ? [COLUMNS.join(','), ...entries.map(csvLine)]
          : entries.map((entry) => JSON.stringify(entry));
      save(`activity.${kind}`, new Blob([`${lines.join('\n')}\n`], { type: 'text/plain' }));
      tell(`${entries.length} entries saved`);
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

async function readAll(computer: string | undefined): Promise<AuditEntry[]> {
  const all: AuditEntry[] = [];
  while (all.length < MOST) {
    const page = await readEntries({ computer, before: all.at(-1)?.id, limit: AT_ONCE });
    all.push(...page);
    if (page.length < AT_ONCE) break;
  }
  return all;
}

const COLUMNS = ['id', 'at', 'action', 'computer_id', 'key', 'detail', 'ms', 'outcome'];

/** A line of CSV; a value that a spreadsheet would take for a formula is preceded by an apostrophe. */
function csvLine(entry: AuditEntry): string {
  const { id, at, action, computer_id, ms, outcome } = entry;
  return [id, at, action, computer_id ?? '', keyOf(entry), detailOf(entry), ms, outcome]
    .map((value) => String(value).replace(/^[=+\-@\t\r]/, "'$&"))
    .map((value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(',');
}
