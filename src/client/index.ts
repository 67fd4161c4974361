export { ApiError, type ErrorCode, errorCatalogue } from '../contract/errors.js';
export type {
  Action,
  Answer,
  AuditEntry,
  BashResult,
  BatchAction,
  BatchFailure,
  BodyInput,
  BuildLine,
  Computer,
  ComputerStats,
  Connection,
  CreateComputer,
  CreatedKey,
  CreatedOwner,
  CreatedWebhook,
  Delivery,
  ExecResult as PythonResult,
  FileEntry,
  FileStatus,
  FileWritten,
  Health,
  Image,
  Job,
  JobWithOutput,
  Key,
  Me,
  OperationName,
  Owner,
  ProjectWithComputers as Project,
  QueryInput,
  Secret,
  ServiceEvent,
  Snapshot,
  StatsHistory,
  StatsSample,
  StreamStatus,
  UpdateComputer,
  View,
  WaitResult,
  Webhook,
} from '../contract/types/index.js';

export type { CallOptions } from './calls/time-limit.js';
export { Client } from './client.js';
export type { ComputerUseAnswer, ComputerUseOptions, ModelItem } from './computer/actions.js';
export type { BatchAnswer } from './computer/batch.js';
export { ComputerHandle, type ForkOptions, type KnownComputer } from './computer/computer.js';
export { ComputerJobs } from './computer/jobs.js';
export type { WaitOptions } from './computer/ready.js';
export type { RunOptions } from './computer/run.js';
export type { Region, ScreenshotOptions } from './computer/screenshot.js';
export { ComputerSnapshots } from './computer/snapshots.js';
export type { PortConnection } from './connection.js';
export {
  type AnswerHeaders,
  CommandError,
  type CommandResult,
  ComputerStartError,
  ServiceError,
  type ServiceErrorCode,
  ServiceSilentError,
  ServiceTimeoutError,
  ServiceUnreachableError,
} from './errors.js';
export { type EventsOptions, type EventType, ServiceEvents } from './events/events.js';
export {
  verifyWebhook,
  type WebhookHeaders,
  type WebhookMessage,
  WebhookVerificationError,
} from './events/verify-webhook.js';
export {
  ComputerFiles,
  type ModeOptions,
  type RangeOptions,
  type TransferOptions,
  type WriteOptions,
} from './files/files.js';
export { RemoteFile } from './files/remote-file.js';
export type { FileData } from './files/upload-body.js';
export { type ComputerAddress, computerParameters } from './http/address.js';
export type { ByteSource } from './http/transport.js';
export type { ClientOptions } from './options.js';
export type {
  ProcessHandle,
  ProcessRequest,
  ProcessSignal,
  RemoteProcess,
} from './process.js';
export type { Bytes, IfChanged, IfNoneMatch, RequestOptions } from './requests.js';
export type { BuildProgress, ImageBuildOptions } from './resources/image-build.js';
export type { ProcessExit } from './sockets/process-connection.js';
export { VirtualComputers, type VirtualComputersOptions } from './virtual-computers.js';
