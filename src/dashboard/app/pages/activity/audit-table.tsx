import type { AuditEntry } from '../../api/types.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { detailOf, keyOf } from './read.js';

const COLUMNS = [
  'When',
  'Action',
  'Computer',
  'Key',
  'Details',
  { text: 'Time', kind: 'number' },
  'Outcome',
] as const;

interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  readonly nameOf: (id: string | null) => string | null;
}

export function AuditTable({ entries, nameOf }: AuditTableProps) {
  return (
    <Table class="audit" columns={COLUMNS}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <td>
            <Time at={entry.at} />
          </td>
          <th scope="row">{entry.action}</th>
          <td>{nameOf(entry.computer_id)}</td>
          <td>{keyOf(entry)}</td>
          <td class="muted">{detailOf(entry)}</td>
          <td class="number nowrap">{entry.ms} ms</td>
          <td>
            <span class={entry.outcome === 'ok' ? 'outcome' : 'outcome bad'}>{entry.outcome}</span>
          </td>
        </tr>
      ))}
    </Table>
  );
}
