export { ApiError, type ErrorCode, errorCatalogue } from '../contract/errors.js';
export type { Answer, BodyInput, OperationName, QueryInput } from '../contract/index.js';
export { type ComputerAddress, computerParameters } from './address.js';
export { type Bytes, Client, type ClientOptions, type RequestOptions } from './client.js';
export { ComputerHandle } from './computer.js';
export { ServiceError, ServiceTimeoutError, ServiceUnreachableError } from './errors.js';
export type { ProcessExit, ProcessRequest, ProcessSignal, RemoteProcess } from './process.js';
export type { Region, ScreenshotOptions } from './screenshot.js';
export { VirtualComputers, type VirtualComputersOptions } from './virtual-computers.js';
