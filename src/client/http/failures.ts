import { codeOfStatus, decodeRemedy, REMEDY_HEADER } from '../../contract/errors.js';
import {
  type AnswerHeaders,
  ServiceError,
  ServiceTimeoutError,
  ServiceUnreachableError,
} from '../errors.js';

/** Another program than the service has answered. */
export const CHECK_BASE_URL = 'check the base URL: another program answers there';

/** An answer that is not a success, from an HTTP request or a refused upgrade. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

/** Converts an error answer: `{"error": "…"}` becomes a {@link ServiceError}. */
export function errorFromAnswer({ status, headers, body }: ErrorAnswer, baseUrl: string): Error {
  const message = messageOf(body);
  if (message === undefined) {
    const reason = `HTTP ${status} without this service's error format`;
    return new ServiceUnreachableError(baseUrl, reason, {
      status,
      headers,
      remedy: CHECK_BASE_URL,
    });
  }
  const remedy = headerOf(headers, REMEDY_HEADER);
  return new ServiceError(headerOf(headers, 'x-error-code') ?? codeOfStatus(status), message, {
    ...{ status, headers, baseUrl },
    requestId: headerOf(headers, 'x-request-id'),
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

/** The first value of a header. */
export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Codes of failed connections. All other errors are the caller's own, such as a missing file. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EAI_FAIL: 'the host name cannot be looked up',
  ECONNRESET: 'the connection was closed',
  ECONNABORTED: 'the connection was closed',
  EPIPE: 'the connection was closed',
  EHOSTUNREACH: 'the host is out of reach',
  EHOSTDOWN: 'the host is down',
  ENETUNREACH: 'the network is out of reach',
  ENETDOWN: 'the network is down',
  EADDRNOTAVAIL: 'no address or port to connect from',
  ETIMEDOUT: 'no connection in time',
  EPROTO: 'TLS failed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 seconds',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut off',
};

/** Families of codes: HTTP parsers, WebSockets, TLS and its certificates. */
const families = /^(HPE_|WS_ERR_|ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_)/;

const timeouts = new Set(['ANSWER_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Converts a failure of the connection; returns any other error, such as an abort, unchanged. */
export function errorFromFailure(failure: unknown, baseUrl: string): unknown {
  const code = codeOf(failure);
  if (!(failure instanceof Error) || code === undefined) return failure;
  if (timeouts.has(code)) {
    const message = `the service at ${baseUrl} did not answer in time`;
    return new ServiceTimeoutError(message, { cause: failure });
  }
  const reason = reasons[code] ?? (families.test(code) ? code : undefined);
  if (reason === undefined) return failure;
  const remedy =
    code === 'EPROTO' ? 'check whether the base URL begins with http or https' : undefined;
  return new ServiceUnreachableError(baseUrl, reason, { cause: failure, remedy });
}

/** The system's or undici's code of an error; an AggregateError's is its first member's. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return undefined;
}
