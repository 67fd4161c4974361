export * as actions from './actions/actions.js';
export type { BatchAction, BatchInput, BatchResult } from './actions/batch.js';
export { DEFAULT_BASE_URL, EVENT_TYPES, MAX_BATCH } from './constants.js';
export { ApiError, type ErrorCode, errorCatalogue, isErrorCode } from './errors.js';
export { ServiceEvent } from './events.js';
export * as files from './files.js';
export * as jobs from './jobs.js';
export {
  type Answer,
  type Body,
  type BodyInput,
  type Operation,
  type Operations,
  operations,
  type Query,
  type QueryInput,
} from './operations.js';
export { CreatedOwner, CreateOwner, Owner, UpdateOwner } from './owners.js';
export { ComputerName, OwnerName, ProjectName } from './primitives.js';
export {
  Computer,
  ComputerStatus,
  CreateComputer,
  CreatedKey,
  CreateProject,
  ForkComputer,
  Health,
  Key,
  Project,
  ProjectWithComputers,
} from './resources.js';
export {
  FILE_PATHS,
  type Method,
  type OperationName,
  PROCESS_PATHS,
  routes,
  TUNNEL_PATHS,
} from './routes.js';
export {
  ProcessControl,
  ProcessEvent,
  ProcessStart,
  StreamId,
} from './sockets/process.js';
export { TunnelMessage, TunnelQuery } from './sockets/tunnel.js';
export { VIEW_PATHS, View, ViewMode, viewPath } from './sockets/view.js';
export * as streams from './streams.js';
