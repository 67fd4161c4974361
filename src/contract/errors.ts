/**
 * Whether the same request may succeed when it is sent again: `no`; `later`, when the state has
 * changed; `yes`, after a pause, because it had no effect; `check` whether it had an effect first.
 */
export type Retry = 'no' | 'later' | 'yes' | 'check';

interface ErrorKind {
  readonly status: number;
  readonly retry: Retry;
  readonly meaning: string;
}

/** Keeps the codes in the type, but not the texts: published types are smaller. */
const catalogue = <Code extends string>(kinds: Readonly<Record<Code, ErrorKind>>) => kinds;

/**
 * Every error the service can answer, in one place: code, HTTP status and what it is for.
 * 400, 401, 404 and 500 cover the interface itself; the others are for transport, load and
 * unavailable engines.
 */
export const errorCatalogue = catalogue({
  invalid_request: {
    status: 400,
    retry: 'no',
    meaning: 'a field, parameter or body is not as the contract says',
  },
  name_taken: {
    status: 400,
    retry: 'no',
    meaning:
      'a project, computer, snapshot, volume, connection, owner or published port of that name exists already, or an API key when one is renamed or created by a limited key',
  },
  limit_reached: {
    status: 400,
    retry: 'later',
    meaning:
      'the owner may not have or run more of these at once, or a budget of the API key is used up',
  },
  not_running: { status: 400, retry: 'later', meaning: 'the computer has to be started first' },
  conflict: {
    status: 400,
    retry: 'later',
    meaning: 'its present state does not allow that: it is being changed, protected or in use',
  },
  controlled: {
    status: 400,
    retry: 'later',
    meaning: 'someone else has control of the computer, so other input is refused',
  },
  off_screen: { status: 400, retry: 'no', meaning: 'the coordinates lie outside the screen' },
  stale_frame: {
    status: 400,
    retry: 'no',
    meaning: 'the element of a mark is gone, has moved or changed, or its picture is too old',
  },
  unknown_key: { status: 400, retry: 'no', meaning: 'no key has that name' },
  image_missing: {
    status: 400,
    retry: 'later',
    meaning: 'the machine image has to be built first',
  },
  target_failed: {
    status: 400,
    retry: 'later',
    meaning:
      'the target of a stream or webhook, or a port of a computer, cannot be reached, or does not take the stream',
  },
  unsupported: { status: 400, retry: 'no', meaning: 'this engine or image cannot do that' },
  unauthorized: { status: 401, retry: 'no', meaning: 'the API key is missing or wrong' },
  forbidden: { status: 403, retry: 'no', meaning: 'the rights of the API key do not allow that' },
  not_found: {
    status: 404,
    retry: 'no',
    meaning: 'there is no such project, computer, key, owner or path',
  },
  method_not_allowed: {
    status: 405,
    retry: 'no',
    meaning: 'the path exists, not with this method',
  },
  request_timeout: {
    status: 408,
    retry: 'yes',
    meaning: 'the request did not arrive whole in time',
  },
  payload_too_large: {
    status: 413,
    retry: 'no',
    meaning: 'the body is larger than the service reads',
  },
  unsupported_media_type: { status: 415, retry: 'no', meaning: 'the body is not JSON' },
  range_not_satisfiable: {
    status: 416,
    retry: 'later',
    meaning: 'the file ends before the requested range begins',
  },
  rate_limited: { status: 429, retry: 'yes', meaning: 'too many requests at once' },
  internal: {
    status: 500,
    retry: 'check',
    meaning: 'the service failed; the log has the request id',
  },
  guest_timeout: { status: 500, retry: 'check', meaning: 'the computer did not answer in time' },
  guest_failed: {
    status: 500,
    retry: 'check',
    meaning: 'the computer answered with something unusable',
  },
  engine_unavailable: {
    status: 503,
    retry: 'check',
    meaning: 'the engine that runs the computer cannot be reached',
  },
});

export type ErrorCode = keyof typeof errorCatalogue;

/** Response header with an error's remedy; see {@link encodeRemedy}. */
export const REMEDY_HEADER = 'x-error-remedy';

/** A header holds ASCII only: `%` and everything but printable ASCII is percent-encoded UTF-8. */
export function encodeRemedy(remedy: string): string {
  return remedy.toWellFormed().replaceAll(/[^ -$&-~]+/g, encodeURIComponent);
}

/** Reverses {@link encodeRemedy}; undefined for an invalid header. */
export function decodeRemedy(header: string): string | undefined {
  try {
    return decodeURIComponent(header);
  } catch {
    return undefined;
  }
}

export interface ApiErrorOptions {
  /** What to do next: one line of plain text, often a command. Sent in the header `x-error-remedy`. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** An error for the user: what went wrong and where, in one line, and what to do about it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** HTTP status of `code`. */
  readonly status: number;
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, message: string, { remedy, cause }: ApiErrorOptions = {}) {
    super(message, { cause });
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.remedy = remedy;
  }
}

/** True for a code that this version knows. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
}

/** The catalogue's first code of a status, for an answer without a code that is known. */
export function codeOfStatus(status: number): ErrorCode {
  const codes = Object.keys(errorCatalogue).filter(isErrorCode);
  const found = codes.find((code) => errorCatalogue[code].status === status);
  return found ?? (status >= 500 ? 'internal' : 'invalid_request');
}
