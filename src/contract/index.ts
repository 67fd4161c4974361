export type { Access, Right } from './access/rights.js';
export * as actions from './actions/actions.js';
export type { BatchAction, BatchInput, BatchResult } from './actions/batch.js';
export { DEFAULT_BASE_URL, EVENT_TYPES, MAX_BATCH, RIGHTS } from './constants.js';
export { ApiError, type ErrorCode, errorCatalogue, isErrorCode } from './errors.js';
export { ServiceEvent } from './events.js';
export * as files from './files.js';
export * as jobs from './jobs.js';
export type { Method, Operation } from './operations/operation.js';
export {
  type Answer,
  access,
  type Body,
  type BodyInput,
  type OperationName,
  type Operations,
  operations,
  type Query,
  type QueryInput,
  type StreamName,
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
  ForkedComputers,
  Health,
  Image,
  Key,
  Project,
  ProjectWithComputers,
  Secret,
  Snapshot,
  Webhook,
} from './resources.js';
export { routes } from './routes.js';
export { Browser, BrowserVersion, OpenBrowser } from './sockets/browser.js';
export {
  ProcessControl,
  ProcessEvent,
  ProcessStart,
  StreamId,
} from './sockets/process.js';
export { TunnelMessage, TunnelQuery } from './sockets/tunnel.js';
export { VIEW_PATHS, View, ViewMode, viewPath } from './sockets/view.js';
export * as streams from './streams.js';
