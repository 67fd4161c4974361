import { RIGHTS } from '../constants.js';
import type { OperationName } from '../routes.js';

/** What an API key may do; each right includes those before it. */
export type Right = (typeof RIGHTS)[number];

/** What a key needs for an operation or WebSocket. */
export interface Access {
  readonly right: Right;
  /** `owner`: a key for one project cannot do it, because it concerns all of the owner's projects. */
  readonly reach: 'project' | 'owner';
  /** It gives input to a computer, which is refused while someone else has control. */
  readonly input?: true;
  /** A field of the body whose values may need a higher right. */
  readonly stricter?: { readonly field: string; readonly values: Readonly<Record<string, Right>> };
}

/** Byte streams and WebSockets, which are not operations. */
export type StreamName =
  | 'readFile'
  | 'writeFile'
  | 'process'
  | 'tunnel'
  | 'cdp'
  | 'cdpVersion'
  | 'wall'
  | 'mcp';

const needs = <const R extends Right>(right: R) => ({
  project: { right, reach: 'project' } as const,
  owner: { right, reach: 'owner' } as const,
});
const [look, act, manage] = [needs('look'), needs('act'), needs('manage')];
const input = { ...act.project, input: true } as const;

/**
 * What every operation and WebSocket needs; `open` needs no key. The service enforces it in one place,
 * and the OpenAPI document has it as `x-right`. `look` sees lists, states and screens; `act` also uses
 * computers and reads what is in them; `manage` also creates, changes and deletes.
 */
// biome-ignore format: one operation a line
export const access: Readonly<Record<OperationName | StreamName, Access | 'open'>> = {
  health: 'open',
  createProject: manage.owner,
  listProjects: look.project,
  getProject: look.project,
  // Names of projects are unique among all of the owner's.
  updateProject: manage.owner,
  deleteProject: manage.project,
  deleteProjectByPost: manage.project,
  startProject: act.project,
  stopProject: act.project,
  restartProject: act.project,
  listAllComputers: look.project,
  createComputerIn: manage.project,
  createComputer: manage.project,
  listComputers: look.project,
  getComputer: look.project,
  deleteComputer: manage.project,
  updateComputer: manage.project,
  startComputer: act.project,
  stopComputer: act.project,
  restartComputer: act.project,
  forkComputer: manage.project,
  getStats: look.project,
  screenshot: look.project,
  thumbnail: look.project,
  getElements: look.project,
  findElements: look.project,
  click: input,
  move: input,
  drag: input,
  scroll: input,
  type: input,
  key: input,
  mouseDown: input,
  mouseUp: input,
  keyDown: input,
  keyUp: input,
  getCursor: look.project,
  getClipboard: act.project,
  setClipboard: input,
  bash: act.project,
  exec: act.project,
  wait: look.project,
  batch: input,
  getComputerUse: look.project,
  computerUse: input,
  openBrowser: input,
  view: { ...look.project, stricter: { field: 'mode', values: { control: 'act' } } },
  getControl: look.project,
  takeControl: act.project,
  releaseControl: act.project,
  startTrajectory: act.project,
  getTrajectory: act.project,
  listTrajectorySteps: look.project,
  getTrajectoryPicture: look.project,
  endTrajectory: act.project,
  deleteTrajectory: act.project,
  listActions: look.project,
  getMe: look.project,
  getUsage: look.project,
  getEntry: act.project,
  removeEntry: act.project,
  renameEntry: act.project,
  listDirectory: act.project,
  makeDirectory: act.project,
  makeLink: act.project,
  listJobs: act.project,
  getJob: act.project,
  endJob: act.project,
  startStream: act.project,
  streamStatus: look.project,
  stopStream: act.project,
  record: look.project,
  listConnections: look.owner,
  createConnection: manage.owner,
  deleteConnection: manage.owner,
  listSecrets: look.project,
  setSecret: manage.project,
  deleteSecret: manage.project,
  listImages: look.project,
  listMembers: manage.owner,
  getMember: manage.owner,
  drainMember: manage.owner,
  returnMember: manage.owner,
  streamEvents: look.project,
  listAudit: look.project,
  listKeys: manage.project,
  createKey: manage.project,
  updateKey: manage.project,
  deleteKey: manage.project,
  createLogin: look.project,
  createSession: 'open',
  getSession: look.project,
  endSession: look.project,
  listOwners: manage.owner,
  createOwner: manage.owner,
  getOwner: manage.owner,
  updateOwner: manage.owner,
  deleteOwner: manage.owner,
  createOwnerKey: manage.owner,
  listOwnerAudit: manage.owner,
  readFile: act.project,
  writeFile: act.project,
  process: act.project,
  tunnel: act.project,
  cdp: input,
  cdpVersion: input,
  wall: look.project,
  // Each tool needs the right of its operation.
  mcp: look.project,
};

/** Whether a right includes another. */
export function includesRight(given: Right, needed: Right): boolean {
  return RIGHTS.indexOf(given) >= RIGHTS.indexOf(needed);
}

/** The right that a request with this body needs. */
export function rightFor({ right, stricter }: Access, body: unknown): Right {
  if (stricter === undefined) return right;
  const value = (body as Readonly<Record<string, unknown>> | undefined)?.[stricter.field];
  return stricter.values[String(value)] ?? right;
}
