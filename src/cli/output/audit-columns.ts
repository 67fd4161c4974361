import { auditCommand } from '../../contract/audit-commands.js';
import type { Answer } from '../../contract/types/index.js';
import type { Column } from './table.js';

type Action = Answer<'listActions'>['actions'][number];

export const actionColumns = [
  { header: 'WHEN', value: ({ at }) => at, isTime: true },
  { header: 'ACTION', value: commandOf },
  { header: 'DETAIL', value: ({ detail }) => describe(detail), shrinks: true },
  { header: 'OUTCOME', spare: 2, value: ({ outcome }) => outcome },
  { header: 'TOOK', spare: 3, value: ({ ms }) => `${ms} ms` },
  // Keys of the service itself and revoked ones have no name.
  { header: 'KEY', value: ({ key_id, key_name }) => key_name ?? key_id, shrinks: true },
] as const satisfies readonly Column<Action>[];

/** The command that does what the entry says, without `vc`; an unknown operation as it is. */
export function commandOf({ action, detail }: Pick<Action, 'action' | 'detail'>): string {
  if (action === 'process' && detail.terminal === true) return 'shell';
  return auditCommand(action);
}

function describe(detail: Action['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
