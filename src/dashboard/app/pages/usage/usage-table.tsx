import { Table } from '../../components/table.js';
import { formatBytes } from '../../state/paths.js';
import { formatHours, type Sum } from './sums.js';

const COLUMNS = [
  'Name',
  { text: 'Computer time', kind: 'number' },
  { text: 'Actions', kind: 'number' },
  { text: 'Data', kind: 'number' },
] as const;

/** What was used, by key or project. */
export function UsageTable({ title, sums }: { title: string; sums: readonly Sum[] }) {
  return (
    <section>
      <h2>{title}</h2>
      {sums.length === 0 ? (
        <p class="muted">Nothing was used in this time.</p>
      ) : (
        <Table columns={COLUMNS}>
          {sums.map(({ id, name, computer_seconds, actions, bytes }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td class="number">{formatHours(computer_seconds)}</td>
              <td class="number">{actions.toLocaleString('en')}</td>
              <td class="number">{formatBytes(bytes)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
