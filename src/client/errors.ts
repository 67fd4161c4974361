import { ApiError, type ErrorCode, errorCatalogue, isErrorCode } from '../contract/errors.js';

/** An error that the service answered, with the request's id as its log has it. */
export class ServiceError extends ApiError {
  readonly requestId: string | undefined;

  constructor(code: ErrorCode, message: string, requestId?: string) {
    super(code, message);
    this.requestId = requestId;
  }
}

/** Nothing answered at the base URL, or something that is not this service. */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';
  readonly baseUrl: string;

  constructor(baseUrl: string, reason: string, options?: { cause?: unknown }) {
    super(`cannot reach the service at ${baseUrl}: ${reason}`, options);
    this.baseUrl = baseUrl;
  }
}

/** The service took the request and did not answer in time; the work may still be going on. */
export class ServiceTimeoutError extends Error {
  override readonly name = 'ServiceTimeoutError';
}

/** The catalogue's first code of a status: what a service that sends no code must mean. */
function codeOfStatus(status: number): ErrorCode {
  const codes = Object.keys(errorCatalogue).filter(isErrorCode);
  return codes.find((code) => errorCatalogue[code].status === status) ?? 'internal';
}

/** What is needed of an error answer, however it came: over undici or a refused upgrade. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly body: string;
}

/** The error that an answer stands for: `{"error": "…"}` becomes a {@link ServiceError}. */
export function errorFromAnswer(answer: ErrorAnswer, baseUrl: string): Error {
  const message = messageOf(answer.body);
  if (message === undefined) {
    const reason = `HTTP ${answer.status} without this service's error format; is the base URL right?`;
    return new ServiceUnreachableError(baseUrl, reason);
  }
  const code = isErrorCode(answer.code) ? answer.code : codeOfStatus(answer.status);
  return new ServiceError(code, message, answer.requestId);
}

function messageOf(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null && 'error' in parsed) {
      return typeof parsed.error === 'string' ? parsed.error : undefined;
    }
  } catch {
    // Not JSON: not one of the service's answers.
  }
  return undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'the host is out of reach',
  ENETUNREACH: 'the network is out of reach',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 seconds',
  UND_ERR_SOCKET: 'the connection was closed',
  ETIMEDOUT: 'no connection in time',
};

const timeouts = new Set(['ANSWER_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** The error that a failed connection stands for; abortion is passed on as it is. */
export function errorFromFailure(failure: unknown, baseUrl: string): unknown {
  const code = codeOf(failure);
  if (code === 'UND_ERR_ABORTED' || code === 'ABORT_ERR') return failure;
  if (code !== undefined && timeouts.has(code)) {
    const message = `the service at ${baseUrl} did not answer in time; the work may still go on`;
    return new ServiceTimeoutError(message, { cause: failure });
  }
  if (!(failure instanceof Error) || code === undefined) return failure;
  return new ServiceUnreachableError(baseUrl, reasons[code] ?? code, { cause: failure });
}

/** The system's or undici's code of an error; an AggregateError's is its first member's. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return undefined;
}
