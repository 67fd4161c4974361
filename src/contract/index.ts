export * as actions from './actions.js';
export { ApiError, type ErrorCode, errorCatalogue, isErrorCode } from './errors.js';
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
  Health,
  Key,
  Project,
  ProjectWithComputers,
} from './resources.js';
