import type { ChalkInstance } from 'chalk';
import type { ClusterMember } from '../../../contract/resources.js';
import type { Column, RecordField } from '../../output/table.js';

export const memberColumns: readonly Column<ClusterMember>[] = [
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'STATUS', value: ({ status }) => status, color: colorStatus },
  { header: 'ADDRESS', spare: 2, value: ({ address }) => address },
  { header: 'CPU', spare: 3, value: ({ cpu }) => (cpu === null ? '' : String(cpu)) },
  { header: 'MEMORY', value: (member) => memory(member) },
  { header: 'DISK', value: (member) => disk(member) },
  { header: 'COMPUTERS', value: (member) => String(member.computer_count) },
  { header: 'GROUPS', spare: 1, value: ({ groups }) => groups.join(', ') },
  { header: 'ARCHITECTURE', value: ({ architecture }) => architecture, wide: true },
  { header: 'ENGINE', value: ({ engine }) => engine, wide: true },
];

/** The lines of `vc cluster get`. */
export function memberFields(member: ClusterMember): RecordField[] {
  const { name, status, detail, address, architecture, groups, cpu, engine } = member;
  return [
    ['name', name],
    ['status', detail === '' ? status : `${status}: ${detail}`],
    ['address', address],
    ['architecture', architecture],
    ['groups', groups.join(', ')],
    ...(cpu === null ? [] : [['cpu', `${cpu} cores`] as [string, string]]),
    ...(memory(member) === '' ? [] : [['memory', memory(member)] as [string, string]]),
    ...(disk(member) === '' ? [] : [['disk', disk(member)] as [string, string]]),
    ['computers', String(member.computer_count)],
    ...drainFields(member),
    ['engine', engine],
  ];
}

function drainFields({ drain }: ClusterMember): RecordField[] {
  if (drain === null) return [];
  return [
    ['draining since', drain.since],
    ...(drain.moving === null ? [] : [['moving', drain.moving] as [string, string]]),
    ...drain.failed.map(({ id, error }): [string, string] => ['not moved', `${id}: ${error}`]),
  ];
}

function memory({ memory_used_bytes, memory_total_bytes }: ClusterMember): string {
  return ofTotal(memory_used_bytes, memory_total_bytes);
}

function disk({ disk_used_bytes, disk_total_bytes }: ClusterMember): string {
  return ofTotal(disk_used_bytes, disk_total_bytes);
}

/** `5.3 / 24.0 GiB`; empty if it is not known. */
function ofTotal(used: number | null, total: number | null): string {
  if (used === null || total === null) return '';
  const gib = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
  return `${gib(used)} / ${gib(total)} GiB`;
}

function colorStatus(status: string, chalk: ChalkInstance): string {
  return status === 'online' ? chalk.green(status) : chalk.yellow(status);
}
