export { ApiError, type ErrorCode, errorCatalogue } from '../contract/errors.js';
export type { Answer, BodyInput, OperationName, QueryInput } from '../contract/index.js';
export { type Bytes, Client, type ClientOptions, type RequestOptions } from './client.js';
export { ComputerHandle } from './computer.js';
export {
  ServiceError,
  ServiceSilentError,
  ServiceTimeoutError,
  ServiceUnreachableError,
  UntrustedListenerError,
} from './errors.js';
export { ComputerFiles, type RemoteFile, type WriteOptions } from './files.js';
export { type ComputerAddress, computerParameters } from './http/address.js';
export type { ListenerUid } from './http/trusted-peer.js';
export { ComputerJobs } from './jobs.js';
export type { ProcessExit, ProcessRequest, ProcessSignal, RemoteProcess } from './process.js';
export type { Region, ScreenshotOptions } from './screenshot.js';
export { VirtualComputers, type VirtualComputersOptions } from './virtual-computers.js';
