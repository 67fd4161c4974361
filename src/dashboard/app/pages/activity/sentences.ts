import type { AuditEntry } from '../../api/types.js';
import { keyOf } from './read.js';

/**
 * What each operation does, as an infinitive before the name of the computer, or of what else it
 * concerns. What the service did by itself is below.
 */
export const OPERATIONS: Readonly<Record<string, string>> = {
  createPublication: 'publish a port of',
  deletePublication: 'end the publication of a port of',
  screenshot: 'take a screenshot of',
  getElements: 'read the elements of',
  findElements: 'search an element of',
  wait: 'wait for a state of',
  view: 'make a view link for',
  viewOpened: 'open the live view of',
  startStream: 'start to stream',
  stopStream: 'end the stream of',
  record: 'record a video of',
  createConnection: 'add a stream target',
  deleteConnection: 'remove a stream target',
  startTrajectory: 'start to record the actions of',
  getTrajectory: 'read recorded actions of',
  endTrajectory: 'end the recording of',
  deleteTrajectory: 'delete recorded actions of',
  click: 'click in',
  move: 'move the pointer in',
  drag: 'drag in',
  scroll: 'scroll in',
  type: 'type text in',
  key: 'press a key in',
  mouseDown: 'hold a mouse button in',
  mouseUp: 'release a mouse button in',
  keyDown: 'hold a key in',
  keyUp: 'release a key in',
  getClipboard: 'read the clipboard of',
  setClipboard: 'set the clipboard of',
  batch: 'run several actions in',
  takeControl: 'take control of',
  releaseControl: 'hand back control of',
  computerUse: 'run an action of a model in',
  createProject: 'create the project',
  updateProject: 'rename the project',
  deleteProject: 'delete the project',
  deleteProjectByPost: 'delete the project',
  startProject: 'start the computers of the project',
  stopProject: 'stop the computers of the project',
  restartProject: 'restart the computers of the project',
  setSecret: 'set the secret',
  deleteSecret: 'delete the secret',
  getEntry: 'read the properties of a file in',
  removeEntry: 'delete a file in',
  renameEntry: 'rename a file in',
  listDirectory: 'list a folder of',
  makeDirectory: 'make a folder in',
  makeLink: 'make a link in',
  createComputerIn: 'create',
  createComputer: 'create',
  deleteComputer: 'delete',
  updateComputer: 'change the settings of',
  startComputer: 'start',
  stopComputer: 'stop',
  restartComputer: 'restart',
  forkComputer: 'fork',
  createKey: 'create the API key',
  updateKey: 'change the API key',
  deleteKey: 'revoke the API key',
  createLogin: 'make a link to this page',
  createSession: 'log in to this page',
  endSession: 'log out of this page',
  createSnapshot: 'take a snapshot of',
  deleteSnapshot: 'delete a snapshot of',
  resetComputer: 'reset',
  bash: 'run a command in',
  exec: 'run Python code in',
  endJob: 'end a job in',
  openBrowser: 'open the browser in',
  readFile: 'read a file from',
  writeFile: 'write a file to',
  process: 'run a process in',
  tunnel: 'forward a port of',
  cdp: 'connect to the browser of',
  buildImage: 'build the image',
  createVolume: 'create the volume',
  deleteVolume: 'delete the volume',
  saveImage: 'save an image of',
  deleteImage: 'delete the image',
  pruneImages: 'remove the cache of image builds',
  createOwner: 'create the owner',
  updateOwner: 'change the owner',
  deleteOwner: 'delete the owner',
  createOwnerKey: 'create a key of the owner',
  drainMember: 'drain the member',
  returnMember: 'return the member',
  createRun: 'create a run',
  updateRunTask: 'report a task of a run',
  createWebhook: 'create a webhook',
  deleteWebhook: 'delete a webhook',
  testWebhook: 'test a webhook',
  autoStop: 'stop the idle computer',
  autoDelete: 'delete the idle computer',
  budgetStop: 'stop a computer whose budget is used up,',
  expire: 'delete the expired computer',
  ended: 'notice the end of',
};

const IRREGULAR: Readonly<Record<string, string>> = {
  take: 'took',
  read: 'read',
  reset: 'reset',
  make: 'made',
  begin: 'began',
  build: 'built',
  run: 'ran',
  set: 'set',
  hold: 'held',
  write: 'wrote',
  drag: 'dragged',
  stop: 'stopped',
  log: 'logged',
};

function past(infinitive: string): string {
  const [verb = '', ...rest] = infinitive.split(' ');
  const regular = verb.endsWith('e') ? `${verb}d` : `${verb}ed`;
  return [IRREGULAR[verb] ?? regular, ...rest].join(' ');
}

/** An entry as a sentence: who, what they did or failed to do, and to what. */
export interface Told {
  readonly who: string;
  readonly did: string;
  /** The name of what is no computer. */
  readonly what: string;
}

const NAMES = ['name', 'project', 'key', 'owner', 'member', 'image', 'volume', 'id'];

export function tell(entry: AuditEntry): Told {
  const { action, outcome, computer_id, detail, key_id } = entry;
  const infinitive = OPERATIONS[action] ?? `perform ${action} on`;
  const name = NAMES.map((each) => detail[each]).find((value) => value !== undefined);
  return {
    who: key_id === 'service' ? 'The service' : keyOf(entry),
    did:
      outcome === 'ok'
        ? past(infinitive)
        : outcome === 'cancelled'
          ? `cancelled: ${infinitive}`
          : `failed to ${infinitive}`,
    what: computer_id === null ? String(name ?? '') : '',
  };
}

/** Why it failed, or with what a command did. */
export function failureOf({ outcome, detail }: AuditEntry): string | undefined {
  if (outcome !== 'ok' && outcome !== 'cancelled') return outcome.replaceAll('_', ' ');
  return detail.exit_code === undefined ? undefined : `exit code ${detail.exit_code}`;
}

/** Entries of one key that did the same to the same, one after the other. */
export interface Run {
  readonly entry: AuditEntry;
  readonly count: number;
}

/** The newest entries, with equal ones after each other as one. */
export function runsOf(entries: readonly AuditEntry[]): Run[] {
  const runs: { entry: AuditEntry; count: number }[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last !== undefined && isAlike(last.entry, entry)) last.count += 1;
    else runs.push({ entry, count: 1 });
  }
  return runs;
}

function isAlike(one: AuditEntry, other: AuditEntry): boolean {
  const same = (['key_id', 'computer_id', 'action', 'outcome'] as const).every(
    (field) => one[field] === other[field],
  );
  return same && one.detail.exit_code === other.detail.exit_code;
}
