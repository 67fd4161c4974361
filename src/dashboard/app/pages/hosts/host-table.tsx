import type { Member } from '../../api/types.js';
import { Item } from '../../components/menu.js';
import { StatusMark } from '../../components/status.js';
import { ACTIONS, RowActions, Table } from '../../components/table.js';
import { space, wallOf } from './describe.js';
import type { OpenHost } from './dialogs.js';

const COLUMNS = [
  'Member',
  'State',
  'Computers',
  'Processors',
  'Memory',
  'Storage',
  'Groups',
  ACTIONS,
] as const;

interface HostTableProps {
  readonly members: readonly Member[];
  readonly onOpen: (open: OpenHost) => void;
}

export function HostTable({ members, onOpen }: HostTableProps) {
  return (
    <Table class="hosts" columns={COLUMNS}>
      {members.map((member) => (
        <HostRow key={`${member.engine} ${member.name}`} of={member} onOpen={onOpen} />
      ))}
    </Table>
  );
}

function HostRow({ of: member, onOpen }: { of: Member; onOpen: HostTableProps['onOpen'] }) {
  const { name, status, detail, drain, computer_count: all, running_count: running } = member;
  return (
    <tr>
      <th scope="row">
        <span class="break">{name}</span>
        <span class="muted clip">{member.address}</span>
      </th>
      <td>
        <StatusMark status={status} reason={detail} />
        {status !== 'online' && <span class="muted detail break">{detail}</span>}
      </td>
      <td class="nowrap">
        <a href={wallOf(member)} aria-label={`Computers on ${name}: ${running} of ${all} run`}>
          {running} of {all} run
        </a>
      </td>
      <td>
        {member.cpu ?? <Unknown />}
        <span class="muted clip">{member.architecture}</span>
      </td>
      <td>
        <Space
          what={`Memory of ${name}`}
          used={member.memory_used_bytes}
          total={member.memory_total_bytes}
        />
      </td>
      <td>
        <Space
          what={`Storage of ${name}`}
          used={member.disk_used_bytes}
          total={member.disk_total_bytes}
        />
      </td>
      <td>
        <ul class="plain">
          {member.groups.map((group) => (
            <li key={group} class="clip">
              {group}
            </li>
          ))}
        </ul>
      </td>
      <RowActions of={name} may>
        {drain === null ? (
          <Item danger onClick={() => onOpen({ kind: 'drain', of: member })}>
            Drain…
          </Item>
        ) : (
          <>
            {drain.failed.length > 0 && (
              <Item onClick={() => onOpen({ kind: 'drain', of: member })}>Try again…</Item>
            )}
            <Item onClick={() => onOpen({ kind: 'return', of: member })}>Return…</Item>
          </>
        )}
      </RowActions>
    </tr>
  );
}

function Space({ what, ...bytes }: { what: string; used: number | null; total: number | null }) {
  const known = space(bytes.used, bytes.total);
  if (known === undefined) return <Unknown />;
  return (
    <>
      <Amount of={known.used} kind="used," /> <Amount of={known.free} kind="free" />
      <meter
        max={1}
        value={known.part}
        aria-label={`${what}: ${known.used} used, ${known.free} free`}
      />
    </>
  );
}

function Amount({ of: amount, kind }: { of: string; kind: string }) {
  return (
    <span class="nowrap">
      {amount} <span class="muted">{kind}</span>
    </span>
  );
}

function Unknown() {
  return <span class="muted">unknown</span>;
}
