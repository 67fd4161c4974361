export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Where an operation is served. */
export interface Route {
  readonly method: Method;
  /** Paths relative to the base URL; clients use the first whose parameters they have. */
  readonly paths: readonly [string, ...string[]];
}

/** Both forms of a computer's address, with `rest` behind each. */
function computerPaths<const R extends string>(rest: R) {
  return [`/computers/:id${rest}`, `/projects/:project/computers/:computer${rest}`] as const;
}

/** Method and paths of every operation. Apart from the schemas, which take a client long to load. */
// biome-ignore format: one operation a line
export const routes = {
  health: { method: 'GET', paths: ['/health'] },
  createProject: { method: 'POST', paths: ['/projects'] },
  listProjects: { method: 'GET', paths: ['/projects'] },
  getProject: { method: 'GET', paths: ['/projects/:project', '/projects/by-name/:project'] },
  updateProject: { method: 'PATCH', paths: ['/projects/:project'] },
  deleteProject: { method: 'DELETE', paths: ['/projects/:project'] },
  deleteProjectByPost: { method: 'POST', paths: ['/projects/:project/delete'] },
  startProject: { method: 'POST', paths: ['/projects/:project/start'] },
  stopProject: { method: 'POST', paths: ['/projects/:project/stop'] },
  restartProject: { method: 'POST', paths: ['/projects/:project/restart'] },
  listAllComputers: { method: 'GET', paths: ['/computers'] },
  createComputerIn: { method: 'POST', paths: ['/computers'] },
  createComputer: { method: 'POST', paths: ['/projects/:project/computers'] },
  listComputers: { method: 'GET', paths: ['/projects/:project/computers'] },
  getComputer: { method: 'GET', paths: computerPaths('') },
  deleteComputer: { method: 'DELETE', paths: computerPaths('') },
  updateComputer: { method: 'PATCH', paths: computerPaths('') },
  startComputer: { method: 'POST', paths: computerPaths('/start') },
  stopComputer: { method: 'POST', paths: computerPaths('/stop') },
  restartComputer: { method: 'POST', paths: computerPaths('/restart') },
  forkComputer: { method: 'POST', paths: computerPaths('/fork') },
  getStats: { method: 'GET', paths: computerPaths('/stats') },
  screenshot: { method: 'GET', paths: computerPaths('/screenshot') },
  thumbnail: { method: 'GET', paths: computerPaths('/thumbnail') },
  getElements: { method: 'GET', paths: computerPaths('/elements') },
  findElements: { method: 'POST', paths: computerPaths('/find') },
  click: { method: 'POST', paths: computerPaths('/click') },
  move: { method: 'POST', paths: computerPaths('/move') },
  drag: { method: 'POST', paths: computerPaths('/drag') },
  scroll: { method: 'POST', paths: computerPaths('/scroll') },
  type: { method: 'POST', paths: computerPaths('/type') },
  key: { method: 'POST', paths: computerPaths('/key') },
  mouseDown: { method: 'POST', paths: computerPaths('/mouse-down') },
  mouseUp: { method: 'POST', paths: computerPaths('/mouse-up') },
  keyDown: { method: 'POST', paths: computerPaths('/key-down') },
  keyUp: { method: 'POST', paths: computerPaths('/key-up') },
  getCursor: { method: 'GET', paths: computerPaths('/cursor') },
  getClipboard: { method: 'GET', paths: computerPaths('/clipboard') },
  setClipboard: { method: 'PUT', paths: computerPaths('/clipboard') },
  bash: { method: 'POST', paths: computerPaths('/bash') },
  exec: { method: 'POST', paths: computerPaths('/exec') },
  wait: { method: 'POST', paths: computerPaths('/wait') },
  batch: { method: 'POST', paths: computerPaths('/batch') },
  getComputerUse: { method: 'GET', paths: computerPaths('/computer-use') },
  computerUse: { method: 'POST', paths: computerPaths('/computer-use') },
  view: { method: 'POST', paths: computerPaths('/view') },
  openBrowser: { method: 'POST', paths: computerPaths('/browser') },
  getControl: { method: 'GET', paths: computerPaths('/control') },
  takeControl: { method: 'POST', paths: computerPaths('/control') },
  releaseControl: { method: 'DELETE', paths: computerPaths('/control') },
  startTrajectory: { method: 'POST', paths: computerPaths('/trajectory') },
  getTrajectory: { method: 'GET', paths: computerPaths('/trajectory') },
  listTrajectorySteps: { method: 'GET', paths: computerPaths('/trajectory/steps') },
  getTrajectoryPicture: { method: 'GET', paths: computerPaths('/trajectory/pictures/:picture') },
  endTrajectory: { method: 'POST', paths: computerPaths('/trajectory/end') },
  deleteTrajectory: { method: 'DELETE', paths: computerPaths('/trajectory') },
  listActions: { method: 'GET', paths: computerPaths('/actions') },
  getMe: { method: 'GET', paths: ['/me'] },
  getUsage: { method: 'GET', paths: ['/usage'] },
  getEntry: { method: 'GET', paths: computerPaths('/entry') },
  removeEntry: { method: 'DELETE', paths: computerPaths('/entry') },
  renameEntry: { method: 'POST', paths: computerPaths('/rename') },
  listDirectory: { method: 'GET', paths: computerPaths('/directory') },
  makeDirectory: { method: 'POST', paths: computerPaths('/directory') },
  makeLink: { method: 'POST', paths: computerPaths('/link') },
  listJobs: { method: 'GET', paths: computerPaths('/jobs') },
  getJob: { method: 'GET', paths: computerPaths('/jobs/:job') },
  endJob: { method: 'POST', paths: computerPaths('/jobs/:job/end') },
  startStream: { method: 'POST', paths: computerPaths('/stream/start') },
  streamStatus: { method: 'GET', paths: computerPaths('/stream/status') },
  stopStream: { method: 'POST', paths: computerPaths('/stream/stop') },
  record: { method: 'GET', paths: computerPaths('/record') },
  listConnections: { method: 'GET', paths: ['/connections'] },
  createConnection: { method: 'POST', paths: ['/connections'] },
  deleteConnection: { method: 'DELETE', paths: ['/connections/:name'] },
  listSecrets: { method: 'GET', paths: ['/projects/:project/secrets'] },
  setSecret: { method: 'PUT', paths: ['/projects/:project/secrets/:secret'] },
  deleteSecret: { method: 'DELETE', paths: ['/projects/:project/secrets/:secret'] },
  listImages: { method: 'GET', paths: ['/images'] },
  listMembers: { method: 'GET', paths: ['/cluster/members'] },
  getMember: { method: 'GET', paths: ['/cluster/members/:member'] },
  drainMember: { method: 'POST', paths: ['/cluster/members/:member/drain'] },
  returnMember: { method: 'POST', paths: ['/cluster/members/:member/return'] },
  streamEvents: { method: 'GET', paths: ['/events'] },
  listAudit: { method: 'GET', paths: ['/audit'] },
  listKeys: { method: 'GET', paths: ['/keys'] },
  createKey: { method: 'POST', paths: ['/keys'] },
  updateKey: { method: 'PATCH', paths: ['/keys/:key'] },
  deleteKey: { method: 'DELETE', paths: ['/keys/:key'] },
  createLogin: { method: 'POST', paths: ['/logins'] },
  createSession: { method: 'POST', paths: ['/sessions'] },
  getSession: { method: 'GET', paths: ['/sessions/current'] },
  endSession: { method: 'DELETE', paths: ['/sessions/current'] },
  listOwners: { method: 'GET', paths: ['/owners'] },
  createOwner: { method: 'POST', paths: ['/owners'] },
  getOwner: { method: 'GET', paths: ['/owners/:owner'] },
  updateOwner: { method: 'PATCH', paths: ['/owners/:owner'] },
  deleteOwner: { method: 'DELETE', paths: ['/owners/:owner'] },
  createOwnerKey: { method: 'POST', paths: ['/owners/:owner/keys'] },
  listOwnerAudit: { method: 'GET', paths: ['/owners/:owner/audit'] },
} as const satisfies Record<string, Route>;

export type OperationName = keyof typeof routes;

/** The bytes of a file: see files.ts. */
export const FILE_PATHS = computerPaths('/files');
/** The WebSocket of a process: see sockets/process.ts. */
export const PROCESS_PATHS = computerPaths('/process');
/** The WebSocket of a connection to a port: see sockets/tunnel.ts. */
export const TUNNEL_PATHS = computerPaths('/tunnel');
/** The WebSocket of the browser, and what clients ask for before it: see sockets/browser.ts. */
export const CDP_PATHS = computerPaths('/cdp');
export const CDP_VERSION_PATHS = computerPaths('/cdp/json/version');
/** The tools of the Model Context Protocol: see src/mcp. */
export const MCP_PATH = '/mcp';
