import { ApiError } from '../../contract/errors.js';
import { hidePaths } from '../../lib/text/hide-paths.js';

/** An error that the cluster answered. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  /** HTTP status; 400 for an operation that failed. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message.replaceAll(/\s+/g, ' ').trim().slice(0, 500));
    this.status = status;
  }
}

/** No member of the cluster answered. */
export function unreachable(cause: unknown): ApiError {
  const code = codeOf(cause);
  const message = `The cluster cannot be reached${code === undefined ? '' : ` (${code})`}.`;
  return new ApiError('engine_unavailable', message, { remedy: 'vc doctor', cause });
}

/** A member accepted a request and did not answer it. */
export function unanswered(ms: number): ApiError {
  const message = `The cluster did not answer within ${ms / 1000} s.`;
  return new ApiError('engine_unavailable', message, { remedy: 'vc doctor' });
}

export function gone(cause?: unknown): ApiError {
  const remedy = 'See: vc ls --all';
  return new ApiError('not_found', 'The computer no longer exists.', { remedy, cause });
}

/** The member that runs a machine does not answer: the machine may well run on. */
export function memberUnreachable(member: string): ApiError {
  const message = `The cluster member "${member}" that has this computer cannot be reached.`;
  return new ApiError('engine_unavailable', message, { remedy: 'vc doctor' });
}

export function imageMissing(name: string, cause?: unknown): ApiError {
  const remedy = `vc image build ${name} --engine incus`;
  return new ApiError('image_missing', `The cluster has no image "${name}".`, { remedy, cause });
}

/** The error for a caller of the engine. */
export function toApiError(error: unknown): unknown {
  if (!(error instanceof ClusterError)) return error;
  const { status, message } = error;
  const shown = hidePaths(message);
  if (status === 404 && /instance not found/i.test(message)) return gone(error);
  if (status === 403) {
    return new ApiError('engine_unavailable', `The cluster does not allow that: ${shown}`, {
      remedy: 'vc setup --engine incus',
      cause: error,
    });
  }
  // It mounts volumes with the ids of each container.
  if (/idmapping abilities are required/i.test(message)) {
    return new ApiError('unsupported', 'The member of the cluster cannot mount volumes.', {
      remedy: 'Use Incus, or an LXD that supports idmapped mounts on the kernel of its members.',
      cause: error,
    });
  }
  if (status === 503) {
    return new ApiError('engine_unavailable', `The cluster is not ready: ${shown}`, {
      cause: error,
    });
  }
  return new ApiError('internal', `The cluster refused: ${shown}`, { cause: error });
}

/** The cluster's own error, also of the ApiError made from it. */
export function clusterErrorOf(error: unknown): ClusterError | undefined {
  if (error instanceof ClusterError) return error;
  return error instanceof ApiError && error.cause ? clusterErrorOf(error.cause) : undefined;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return code ?? codeOf(error.cause);
}
