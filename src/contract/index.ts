export * as actions from './actions.js';
export { type BatchAction, type BatchInput, type BatchResult, MAX_BATCH } from './batch.js';
export { ApiError, type ErrorCode, errorCatalogue, isErrorCode } from './errors.js';
export * as files from './files.js';
export * as jobs from './jobs.js';
export {
  type Answer,
  type Body,
  type BodyInput,
  type Method,
  type Operation,
  type OperationName,
  type Operations,
  operations,
  type Query,
  type QueryInput,
} from './operations.js';
export { ComputerName, DEFAULT_BASE_URL, ProjectName } from './primitives.js';
export {
  PROCESS_PATHS,
  ProcessControl,
  ProcessEvent,
  ProcessStart,
  StreamId,
} from './process.js';
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
export * as streams from './streams.js';
export { TUNNEL_PATHS, TunnelMessage, TunnelQuery } from './tunnel.js';
export { VIEW_PATHS, View, ViewMode, viewPath } from './view.js';
