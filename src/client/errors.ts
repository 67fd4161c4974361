import { codeOfStatus, type ErrorCode, errorCatalogue, isErrorCode } from '../contract/errors.js';
import type { Answer } from '../contract/types/index.js';

/** How a command ended, with the first 16 MiB of each output. */
export interface CommandResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  /** For example `SIGKILL`. */
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It was ended at its `timeout`. */
  readonly timedOut: boolean;
  /** It printed more than is kept. */
  readonly truncated: boolean;
}

/** A code of the catalogue, or one that only a newer service knows. */
export type ServiceErrorCode = ErrorCode | (string & {});

/** Header names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

interface ServiceErrorOptions {
  readonly requestId?: string | undefined;
  readonly remedy?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** By default that of the code. */
  readonly status?: number | undefined;
  readonly headers?: AnswerHeaders | undefined;
}

/** An error that the service answered. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;
  /** HTTP status of the answer. */
  readonly status: number;
  /** What to do next: one line of plain text, often a command. */
  readonly remedy: string | undefined;
  /** Id of the request in the log of the service. */
  readonly requestId: string | undefined;
  readonly baseUrl: string | undefined;
  /** Of the answer; empty for an error that came over a WebSocket. */
  readonly headers: AnswerHeaders;
  /** Seconds after which to try again, if the service said so. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ServiceErrorCode,
    message: string,
    { requestId, remedy, baseUrl, status, headers = {} }: ServiceErrorOptions = {},
  ) {
    super(message);
    this.code = code;
    this.status = status ?? (isErrorCode(code) ? errorCatalogue[code].status : 500);
    this.remedy = remedy;
    this.requestId = requestId;
    this.baseUrl = baseUrl;
    this.headers = headers;
    this.retryAfter = retryAfterOf(headers);
  }

  /** The code, or the nearest one that this version knows. */
  get knownCode(): ErrorCode {
    return isErrorCode(this.code) ? this.code : codeOfStatus(this.status);
  }
}

interface UnreachableOptions {
  readonly remedy?: string | undefined;
  readonly cause?: unknown;
  readonly status?: number;
  readonly headers?: AnswerHeaders;
}

/** The remedy where no better one is known. */
export const START_REMEDY =
  'start the service with vc serve --detach, or check the base URL (VC_BASE_URL)';

/** Nothing answered at the base URL, or something that is not this service. */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';
  readonly baseUrl: string;
  /** HTTP status of what answered, for example a proxy; undefined if nothing did. */
  readonly status: number | undefined;
  readonly headers: AnswerHeaders;
  /** Seconds after which to try again, if the answer said so. */
  readonly retryAfter: number | undefined;
  /** What to do next: one line of plain text. */
  readonly remedy: string;

  constructor(baseUrl: string, reason: string, options: UnreachableOptions = {}) {
    const { status, headers = {}, remedy = START_REMEDY, ...cause } = options;
    super(`cannot reach the service at ${baseUrl}: ${reason}`, cause);
    this.baseUrl = baseUrl;
    this.status = status;
    this.headers = headers;
    this.retryAfter = retryAfterOf(headers);
    this.remedy = remedy;
  }
}

/** The service accepted the request and did not answer in time. */
export class ServiceTimeoutError extends Error {
  override readonly name: string = 'ServiceTimeoutError';
  readonly remedy: string = 'the operation may still be running: check its result before you retry';
}

/** A program accepts connections at the base URL, and answers no request at all. */
export class ServiceSilentError extends ServiceTimeoutError {
  override readonly name = 'ServiceSilentError';
  override readonly remedy = 'restart the service; it may carry out the request once it runs again';
  readonly baseUrl: string;

  constructor(baseUrl: string) {
    super(`the service at ${baseUrl} accepts connections but does not answer`);
    this.baseUrl = baseUrl;
  }
}

/** A computer was created or started, and cannot be used. It still exists. */
export class ComputerStartError extends Error {
  override readonly name = 'ComputerStartError';
  readonly computer: Answer<'getComputer'>;

  constructor(computer: Answer<'getComputer'>) {
    const { name, status, status_reason: why } = computer;
    super(
      `the computer "${name}" did not start: its status is "${status}"${why ? `: ${why}` : ''}`,
    );
    this.computer = computer;
  }
}

/** What ended badly: the answer to `bash` or `python`, or the result of `run`. */
type Failed = Answer<'bash'> | Answer<'exec'> | CommandResult;

/** A command or code that failed or was ended at its `timeout`; see the option `check`. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** With all output. */
  readonly result: Failed;

  constructor(result: Failed) {
    super(describe(result));
    this.result = result;
  }
}

/** Never the command itself, which may hold a secret. */
function describe(result: Failed): string {
  const isLate = 'timed_out' in result ? result.timed_out : result.timedOut;
  if (isLate) return 'the command did not end in time';
  if (!('stderr' in result)) return `the code failed: ${lastLine(result.error ?? '')}`;
  const code = 'exit_code' in result ? result.exit_code : result.exitCode;
  const end =
    code === null ? 'the command was ended by a signal' : `the command exited with ${code}`;
  return result.stderr.trim() === '' ? end : `${end}: ${lastLine(result.stderr)}`;
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.slice(0, 500) ?? '';
}

/** `Retry-After` in seconds; HTTP allows a date as well. */
function retryAfterOf(headers: AnswerHeaders): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - Date.now()) / 1000));
}
