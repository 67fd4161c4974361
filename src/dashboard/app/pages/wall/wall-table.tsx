import { creatorOf } from '../../components/names.js';
import { StatusMark } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { shownStatus } from '../../state/power.js';
import type { ListProps } from './tiles.js';

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
export function WallTable({ computers, selected, onSelect }: ListProps) {
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
