import { auditCommands } from '../../contract/routes.js';
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

/** Actions that are no operations. */
const OTHERS: Readonly<Record<string, string>> = {
  autoStop: 'stop (idle)',
  autoDelete: 'rm (idle)',
  expire: 'rm (expired)',
  budgetStop: 'stop (budget)',
  ended: 'stop (outside)',
  viewOpened: 'view (opened)',
  controlEnded: 'computer control (ended)',
  moveComputer: 'move (drain)',
};

/** The command that does what the entry says, without `vc`; an unknown operation as it is. */
export function commandOf({ action, detail }: Pick<Action, 'action' | 'detail'>): string {
  if (action === 'process' && detail.terminal === true) return 'shell';
  const known: Readonly<Record<string, string | undefined>> = { ...auditCommands, ...OTHERS };
  return Object.hasOwn(known, action) ? (known[action] ?? action) : action;
}

function describe(detail: Action['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
