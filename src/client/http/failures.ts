import { codeOfStatus, decodeRemedy, REMEDY_HEADER } from '../../contract/errors.js';
import { isUntrusted } from '../../lib/net/certificate-error.js';
import {
  type AnswerHeaders,
  ServiceError,
  ServiceTimeoutError,
  ServiceUnreachableError,
} from '../errors.js';

/** The remedy when another program than the service, or its web page, has answered. */
export function checkBaseUrl(baseUrl: string): string {
  const [, origin] = /^(https?:\/\/[^/]+)\/?$/.exec(baseUrl) ?? [];
  return origin === undefined
    ? 'check the base URL: another program answers there'
    : `check the base URL: that of a service ends with /api, such as ${origin}/api`;
}

/** Kept of the body of an error; the service's own are shorter. */
const MOST_ERROR_BYTES = 64 * 1024;

/** An answer that is not a success, from an HTTP request or a refused upgrade. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

/** The begin of the body of an error. The sender may be another program, and may send without end. */
export async function readErrorText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let [text, length] = ['', 0];
  for await (const chunk of body) {
    text += decoder.decode(chunk.subarray(0, MOST_ERROR_BYTES - length), { stream: true });
    length += chunk.length;
    if (length >= MOST_ERROR_BYTES) break;
  }
  return text;
}

/** Converts an error answer: `{"error": "…"}` becomes a {@link ServiceError}. */
export function errorFromAnswer({ status, headers, body }: ErrorAnswer, baseUrl: string): Error {
  const message = isOfService(headers) ? messageOf(body) : undefined;
  if (message === undefined) {
    const reason = `HTTP ${status} without this service's error format`;
    return new ServiceUnreachableError(baseUrl, reason, {
      status,
      headers,
      remedy: checkBaseUrl(baseUrl),
    });
  }
  const remedy = headerOf(headers, REMEDY_HEADER);
  return new ServiceError(headerOf(headers, 'x-error-code') ?? codeOfStatus(status), message, {
    status,
    headers,
    baseUrl,
    requestId: headerOf(headers, 'x-request-id'),
    remedy: remedy === undefined ? undefined : decodeRemedy(remedy),
  });
}

/** Whether the service has answered, and not another program that speaks HTTP and JSON. */
export function isOfService(headers: AnswerHeaders): boolean {
  return headers['x-api-version'] !== undefined;
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
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  FETCH_FAILED: 'nothing listens there, or it refuses requests of this page',
};

/** Families of codes: HTTP parsers, WebSockets, TLS and its certificates. */
const families = /^(HPE_|WS_ERR_|ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_)/;

/** What to check after some of these codes. */
const remedies: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'renew the certificate, and check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use a host of the certificate in the base URL',
  EPROTO: 'check whether the base URL begins with http or https',
  FETCH_FAILED: 'let the page use the service: vc serve --allow-origin ORIGIN',
};

/** Converts a failure of the connection; returns any other error, such as an abort, unchanged. */
export function errorFromFailure(failure: unknown, baseUrl: string): unknown {
  const code = codeOf(failure);
  if (!(failure instanceof Error) || code === undefined) return failure;
  if (code === 'ANSWER_TIMEOUT') {
    const message = `the service at ${baseUrl} did not answer in time`;
    return new ServiceTimeoutError(message, { cause: failure });
  }
  if (isUntrusted(code)) {
    return new ServiceUnreachableError(baseUrl, `its certificate is not trusted (${code})`, {
      cause: failure,
      remedy:
        'to trust its issuer, set NODE_EXTRA_CA_CERTS to the PEM file of the issuer; for vc: --cacert FILE',
    });
  }
  const reason =
    reasonOfSocket(failure) ?? reasons[code] ?? (families.test(code) ? code : undefined);
  if (reason === undefined) return failure;
  return new ServiceUnreachableError(baseUrl, reason, { cause: failure, remedy: remedies[code] });
}

/** Of a unix socket, to which errors of connecting have its path. */
function reasonOfSocket(failure: Error & { code?: string; syscall?: string; address?: string }) {
  if (failure.syscall !== 'connect' || failure.address?.startsWith('/') !== true) return undefined;
  return failure.code === 'EACCES' ? 'it belongs to another user' : 'it is not running';
}

/** The code of an error; an AggregateError's is its first member's. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return undefined;
}
