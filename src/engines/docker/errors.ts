import { ApiError } from '../../contract/errors.js';

/** The Engine's own words and status, kept as the cause of an {@link ApiError}. */
interface DockerError extends Error {
  readonly statusCode?: number;
  readonly code?: string;
  readonly json?: unknown;
}

const remedies: Record<string, { reason: string; remedy: string }> = {
  ENOENT: { reason: 'no Docker Engine is running', remedy: 'vc setup' },
  ECONNREFUSED: { reason: 'no Docker Engine is running', remedy: 'vc setup' },
  EACCES: {
    reason: 'this user may not use the Docker Engine',
    remedy: 'sudo usermod -aG docker "$USER" && newgrp docker',
  },
  EPERM: {
    reason: 'this user may not use the Docker Engine',
    remedy: 'sudo usermod -aG docker "$USER" && newgrp docker',
  },
};

const gone = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ECONNABORTED',
]);

/** Why the Engine could not be reached and what mends it; undefined for any other error. */
export function unreachable(error: unknown): { reason: string; remedy: string } | undefined {
  const { code = '', message = '', statusCode } = asDockerError(error);
  if (statusCode !== undefined) return undefined;
  const known = remedies[code];
  if (known) return known;
  if (gone.has(code) || /socket hang up|aborted|client network socket/i.test(message)) {
    return { reason: `the Docker Engine went away (${code || message})`, remedy: 'vc doctor' };
  }
  return undefined;
}

/** The Engine took a request and did not answer it. */
export function unanswered(ms: number): ApiError {
  return new ApiError(
    'engine_unavailable',
    `The Docker Engine did not answer within ${ms / 1000} s; see: vc doctor`,
  );
}

/**
 * `engine_unavailable` when the Engine cannot be reached, `image_missing` for an image that is not
 * there, `not_found` for a machine that is not, `internal` with the Engine's words for the rest.
 */
export function toApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const away = unreachable(error);
  const cause = { cause: error };
  if (away) {
    const message = `Docker cannot be used: ${away.reason}. Try: ${away.remedy}`;
    return new ApiError('engine_unavailable', message, cause);
  }
  const status = statusOf(error);
  if (status === undefined) return error;
  const words = wordsOf(error);
  const image = /no such image:? *(?:vc\/)?([\w.-]+)?/i.exec(words);
  if (image) return imageMissing(image[1] ?? 'linux', error);
  if (status === 404 && /no such container/i.test(words)) {
    return new ApiError('not_found', 'The computer is not there any more.', cause);
  }
  if (status === 503) {
    return new ApiError('engine_unavailable', `The Docker Engine is not ready: ${words}`, cause);
  }
  return new ApiError('internal', `The Docker Engine refused: ${words}`, cause);
}

export function imageMissing(name: string, cause?: unknown): ApiError {
  const message = `The image "${name}" is not there yet; build it: vc image build ${name}`;
  return new ApiError('image_missing', message, { cause });
}

/** HTTP status of the Engine's answer, also of an error that {@link toApiError} made of it. */
export function statusOf(error: unknown): number | undefined {
  const own = asDockerError(error).statusCode;
  if (own !== undefined) return own;
  return error instanceof ApiError && error.cause ? statusOf(error.cause) : undefined;
}

/** What the Engine said, in one line. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError && error.cause) return wordsOf(error.cause);
  const { json, message } = asDockerError(error);
  const said =
    typeof json === 'object' && json !== null && 'message' in json ? String(json.message) : message;
  return said.replaceAll(/\s+/g, ' ').trim().slice(0, 500);
}

function asDockerError(error: unknown): DockerError {
  return error instanceof Error ? error : new Error(String(error));
}
