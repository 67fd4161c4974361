import type { OperationName } from '../../contract/routes.js';
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

type Logged =
  | OperationName
  | 'process'
  | 'tunnel'
  | 'cdp'
  | 'viewOpened'
  | 'readFile'
  | 'writeFile'
  | 'autoStop'
  | 'moveComputer'
  | 'controlEnded';

/** Commands by the operations that they run, where the two differ in name. */
const commands: Readonly<Partial<Record<Logged, string>>> = {
  createComputer: 'create',
  createComputerIn: 'create',
  getComputer: 'get',
  startComputer: 'start',
  stopComputer: 'stop',
  autoStop: 'stop (idle)',
  restartComputer: 'restart',
  deleteComputer: 'rm',
  updateComputer: 'update',
  forkComputer: 'fork',
  getElements: 'elements',
  findElements: 'find',
  key: 'press',
  mouseDown: 'mouse-down',
  mouseUp: 'mouse-up',
  keyDown: 'key-down',
  keyUp: 'key-up',
  computerUse: 'use',
  exec: 'python',
  process: 'exec',
  batch: 'run',
  tunnel: 'forward',
  openBrowser: 'cdp',
  cdp: 'cdp (connected)',
  viewOpened: 'view (opened)',
  readFile: 'cp (read)',
  writeFile: 'cp (write)',
  getEntry: 'cp (stat)',
  listDirectory: 'cp (list)',
  makeDirectory: 'cp (mkdir)',
  getClipboard: 'clipboard',
  setClipboard: 'clipboard set',
  makeLink: 'cp (link)',
  removeEntry: 'exec rm',
  renameEntry: 'exec mv',
  endJob: 'job end',
  startStream: 'stream start',
  stopStream: 'stream stop',
  startTrajectory: 'computer trajectory start',
  getTrajectory: 'computer trajectory',
  endTrajectory: 'computer trajectory end',
  deleteTrajectory: 'computer trajectory rm',
  createProject: 'project create',
  updateProject: 'project rename',
  deleteProject: 'project rm',
  deleteProjectByPost: 'project rm',
  createConnection: 'connection add',
  deleteConnection: 'connection rm',
  setSecret: 'secret set',
  deleteSecret: 'secret rm',
  takeControl: 'computer control take',
  controlEnded: 'computer control (ended)',
  releaseControl: 'computer control release',
  createLogin: 'dashboard',
  createSession: 'log in',
  endSession: 'log out',
  createKey: 'key create',
  updateKey: 'key update',
  deleteKey: 'key rm',
  createOwner: 'owner create',
  updateOwner: 'owner set',
  deleteOwner: 'owner rm',
  createOwnerKey: 'owner key',
  drainMember: 'cluster drain',
  returnMember: 'cluster return',
  moveComputer: 'move (drain)',
};

/** The command that does what the entry says, without `vc`; an unknown operation as it is. */
export function commandOf({ action, detail }: Pick<Action, 'action' | 'detail'>): string {
  if (action === 'process' && detail.terminal === true) return 'shell';
  const known: Readonly<Record<string, string | undefined>> = commands;
  return Object.hasOwn(known, action) ? (known[action] ?? action) : action;
}

function describe(detail: Action['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
