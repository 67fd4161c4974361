import { ApiError } from '../../contract/errors.js';
import { hidePaths } from '../../lib/text/hide-paths.js';
import type { Dialect, Trouble } from './dialect.js';

/** The Engine's own error, kept as the cause of an {@link ApiError}. */
interface DockerError extends Error {
  readonly statusCode?: number;
  readonly code?: string;
  readonly json?: unknown;
}

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

/** Why the engine cannot be reached and how to fix it; undefined for any other error. */
export function unreachable(error: unknown, dialect: Dialect): Trouble | undefined {
  const { code = '', message = '', statusCode } = asDockerError(error);
  if (statusCode !== undefined) return undefined;
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return dialect.silent;
  if (code === 'EACCES' || code === 'EPERM') return dialect.denied;
  if (gone.has(code) || /socket hang up|aborted|client network socket/i.test(message)) {
    return {
      reason: `the ${dialect.engine} closed the connection (${code || message})`,
      remedy: 'vc doctor',
    };
  }
  return undefined;
}

/** The engine accepted a request and did not answer it. */
export function unanswered({ engine }: Dialect, ms: number): ApiError {
  const message = `The ${engine} did not answer within ${ms / 1000} s.`;
  return new ApiError('engine_unavailable', message, { remedy: 'vc doctor' });
}

/**
 * `engine_unavailable` if the engine cannot be reached, `image_missing` or `not_found` for a missing
 * image or machine, `internal` with the engine's message for the rest.
 */
export function toApiError(error: unknown, dialect: Dialect): unknown {
  if (error instanceof ApiError) return error;
  const { engine, title } = dialect;
  const away = unreachable(error, dialect);
  const cause = { cause: error };
  if (away) {
    const message = `${title} cannot be used: ${away.reason}.`;
    return new ApiError('engine_unavailable', message, { remedy: away.remedy, cause: error });
  }
  const status = statusOf(error);
  if (status === undefined) return error;
  const message = messageOf(error);
  const shown = hidePaths(message);
  const image = /no such image:? *(?:vc\/)?([\w.-]+)?/i.exec(message);
  if (image) return imageMissing(image[1] ?? 'linux', dialect, error);
  if (status === 404 && /no such container/i.test(message)) {
    const remedy = 'See: vc ls --all';
    return new ApiError('not_found', 'The computer no longer exists.', { remedy, cause: error });
  }
  if (status === 503) {
    return new ApiError('engine_unavailable', `The ${engine} is not ready: ${shown}`, cause);
  }
  return new ApiError('internal', `The ${engine} refused: ${shown}`, cause);
}

export function imageMissing(image: string, { engine, name }: Dialect, cause?: unknown): ApiError {
  const message = `The ${engine} has no image "${image}".`;
  const remedy = `vc image build ${image} --engine ${name}`;
  return new ApiError('image_missing', message, { remedy, cause });
}

/** HTTP status of the Engine's answer, also for the ApiError made from it. */
export function statusOf(error: unknown): number | undefined {
  const own = asDockerError(error).statusCode;
  // Podman's answer for a container that is removed during the request.
  if (own === 500 && /: no such container$/.test(messageOf(error))) return 404;
  if (own !== undefined) return own;
  return error instanceof ApiError && error.cause ? statusOf(error.cause) : undefined;
}

/** The Engine's message in one line. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.cause) return messageOf(error.cause);
  const { json, message } = asDockerError(error);
  const said =
    typeof json === 'object' && json !== null && 'message' in json ? String(json.message) : message;
  return said.replaceAll(/\s+/g, ' ').trim().slice(0, 500);
}

function asDockerError(error: unknown): DockerError {
  return error instanceof Error ? error : new Error(String(error));
}
