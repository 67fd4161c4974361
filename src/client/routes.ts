// Written by `npm run generate` from the contract's table of operations: a client finds its
// paths here without loading every schema, which takes longer than the rest of a command's start.
import type { Method, OperationName } from '../contract/index.js';

/** Where an operation is served: its method and the paths that answer it. */
export interface Route {
  readonly method: Method;
  readonly paths: readonly string[];
}

// biome-ignore format: one operation a line
export const routes: { readonly [N in OperationName]: Route } = {
  health: { method: 'GET', paths: ['/health'] },
  createProject: { method: 'POST', paths: ['/projects'] },
  listProjects: { method: 'GET', paths: ['/projects'] },
  getProject: { method: 'GET', paths: ['/projects/:project', '/projects/by-name/:project'] },
  deleteProject: { method: 'DELETE', paths: ['/projects/:project'] },
  deleteProjectByPost: { method: 'POST', paths: ['/projects/:project/delete'] },
  startProject: { method: 'POST', paths: ['/projects/:project/start'] },
  stopProject: { method: 'POST', paths: ['/projects/:project/stop'] },
  restartProject: { method: 'POST', paths: ['/projects/:project/restart'] },
  createComputer: { method: 'POST', paths: ['/projects/:project/computers'] },
  listComputers: { method: 'GET', paths: ['/projects/:project/computers'] },
  getComputer: { method: 'GET', paths: ['/computers/:id', '/projects/:project/computers/:computer'] },
  deleteComputer: { method: 'DELETE', paths: ['/computers/:id', '/projects/:project/computers/:computer'] },
  updateComputer: { method: 'PATCH', paths: ['/computers/:id', '/projects/:project/computers/:computer'] },
  startComputer: { method: 'POST', paths: ['/computers/:id/start', '/projects/:project/computers/:computer/start'] },
  stopComputer: { method: 'POST', paths: ['/computers/:id/stop', '/projects/:project/computers/:computer/stop'] },
  restartComputer: { method: 'POST', paths: ['/computers/:id/restart', '/projects/:project/computers/:computer/restart'] },
  forkComputer: { method: 'POST', paths: ['/computers/:id/fork', '/projects/:project/computers/:computer/fork'] },
  screenshot: { method: 'GET', paths: ['/computers/:id/screenshot', '/projects/:project/computers/:computer/screenshot'] },
  click: { method: 'POST', paths: ['/computers/:id/click', '/projects/:project/computers/:computer/click'] },
  move: { method: 'POST', paths: ['/computers/:id/move', '/projects/:project/computers/:computer/move'] },
  drag: { method: 'POST', paths: ['/computers/:id/drag', '/projects/:project/computers/:computer/drag'] },
  scroll: { method: 'POST', paths: ['/computers/:id/scroll', '/projects/:project/computers/:computer/scroll'] },
  type: { method: 'POST', paths: ['/computers/:id/type', '/projects/:project/computers/:computer/type'] },
  key: { method: 'POST', paths: ['/computers/:id/key', '/projects/:project/computers/:computer/key'] },
  bash: { method: 'POST', paths: ['/computers/:id/bash', '/projects/:project/computers/:computer/bash'] },
  exec: { method: 'POST', paths: ['/computers/:id/exec', '/projects/:project/computers/:computer/exec'] },
  wait: { method: 'POST', paths: ['/computers/:id/wait', '/projects/:project/computers/:computer/wait'] },
  batch: { method: 'POST', paths: ['/computers/:id/batch', '/projects/:project/computers/:computer/batch'] },
  view: { method: 'POST', paths: ['/computers/:id/view', '/projects/:project/computers/:computer/view'] },
  listActions: { method: 'GET', paths: ['/computers/:id/actions', '/projects/:project/computers/:computer/actions'] },
  getMe: { method: 'GET', paths: ['/me'] },
  getEntry: { method: 'GET', paths: ['/computers/:id/entry', '/projects/:project/computers/:computer/entry'] },
  listDirectory: { method: 'GET', paths: ['/computers/:id/directory', '/projects/:project/computers/:computer/directory'] },
  makeDirectory: { method: 'POST', paths: ['/computers/:id/directory', '/projects/:project/computers/:computer/directory'] },
  makeLink: { method: 'POST', paths: ['/computers/:id/link', '/projects/:project/computers/:computer/link'] },
  listJobs: { method: 'GET', paths: ['/computers/:id/jobs', '/projects/:project/computers/:computer/jobs'] },
  getJob: { method: 'GET', paths: ['/computers/:id/jobs/:job', '/projects/:project/computers/:computer/jobs/:job'] },
  endJob: { method: 'POST', paths: ['/computers/:id/jobs/:job/end', '/projects/:project/computers/:computer/jobs/:job/end'] },
  startStream: { method: 'POST', paths: ['/computers/:id/stream/start', '/projects/:project/computers/:computer/stream/start'] },
  streamStatus: { method: 'GET', paths: ['/computers/:id/stream/status', '/projects/:project/computers/:computer/stream/status'] },
  stopStream: { method: 'POST', paths: ['/computers/:id/stream/stop', '/projects/:project/computers/:computer/stream/stop'] },
  record: { method: 'GET', paths: ['/computers/:id/record', '/projects/:project/computers/:computer/record'] },
  listConnections: { method: 'GET', paths: ['/connections'] },
  createConnection: { method: 'POST', paths: ['/connections'] },
  deleteConnection: { method: 'DELETE', paths: ['/connections/:name'] },
  listKeys: { method: 'GET', paths: ['/keys'] },
  createKey: { method: 'POST', paths: ['/keys'] },
  deleteKey: { method: 'DELETE', paths: ['/keys/:key'] },
};

/** Paths of a process with its streams over a WebSocket. */
export const processPaths: readonly string[] = [
  '/computers/:id/process',
  '/projects/:project/computers/:computer/process',
];

/** Paths of a connection to a port over a WebSocket. */
export const tunnelPaths: readonly string[] = [
  '/computers/:id/tunnel',
  '/projects/:project/computers/:computer/tunnel',
];

/** Paths of a file's bytes. */
export const filePaths: readonly string[] = [
  '/computers/:id/files',
  '/projects/:project/computers/:computer/files',
];
