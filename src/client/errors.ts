import {
  ApiError,
  decodeRemedy,
  type ErrorCode,
  errorCatalogue,
  isErrorCode,
} from '../contract/errors.js';

interface ServiceErrorOptions {
  readonly requestId?: string;
  readonly remedy?: string;
  readonly baseUrl?: string;
}

/** An error that the service answered. */
export class ServiceError extends ApiError {
  /** Id of the request in the log of the service. */
  readonly requestId: string | undefined;
  readonly baseUrl: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { requestId, remedy, baseUrl }: ServiceErrorOptions = {},
  ) {
    super(code, message, { remedy });
    this.requestId = requestId;
    this.baseUrl = baseUrl;
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

/** Another user of this host listens at the base URL, so nothing was sent to it. */
export class UntrustedListenerError extends Error {
  override readonly name = 'UntrustedListenerError';
  /** The user who listens there; undefined if no listening socket was found. */
  readonly uid: number | undefined;
  readonly remedy: string;

  constructor({ address, port, uid }: { address: string; port: number; uid: number | undefined }) {
    const owner = uid === undefined ? 'an unknown user' : `another user (uid ${uid})`;
    const place = `${address.includes(':') ? `[${address}]` : address}:${port}`;
    super(`the program on ${place} belongs to ${owner}; the API key was not sent`);
    this.uid = uid;
    this.remedy = `if you trust it, set the option listenerUid: ${uid ?? "'any'"}`;
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

/** The catalogue's first code of a status, for a service that sends no code. */
function codeOfStatus(status: number): ErrorCode {
  const codes = Object.keys(errorCatalogue).filter(isErrorCode);
  return codes.find((code) => errorCatalogue[code].status === status) ?? 'internal';
}

/** The relevant parts of an error answer, from an HTTP request or a refused upgrade. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** The header `x-error-remedy` as it was sent. */
  readonly remedy: string | undefined;
  readonly body: string;
}

/** Converts an error answer: `{"error": "…"}` becomes a {@link ServiceError}. */
export function errorFromAnswer(answer: ErrorAnswer, baseUrl: string): Error {
  const message = messageOf(answer.body);
  if (message === undefined) {
    const reason = `HTTP ${answer.status} without this service's error format; is the base URL right?`;
    return new ServiceUnreachableError(baseUrl, reason);
  }
  const code = isErrorCode(answer.code) ? answer.code : codeOfStatus(answer.status);
  const { requestId, remedy } = answer;
  return new ServiceError(code, message, {
    requestId,
    baseUrl,
    remedy: remedy === undefined ? undefined : decodeRemedy(remedy),
  });
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

/** Converts a connection failure; returns an abort unchanged. */
export function errorFromFailure(failure: unknown, baseUrl: string): unknown {
  const code = codeOf(failure);
  if (code === 'UND_ERR_ABORTED' || code === 'ABORT_ERR') return failure;
  if (code !== undefined && timeouts.has(code)) {
    const message = `the service at ${baseUrl} did not answer in time`;
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
