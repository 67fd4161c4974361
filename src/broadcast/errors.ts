import { ApiError } from '../contract/errors.js';
import { certificateRemedy } from '../lib/net/certificate-error.js';

/**
 * The target of a stream or webhook cannot be reached, or rejects the stream. `detail` must not contain
 * its key.
 */
export function targetFailed(label: string, detail: string, cause?: unknown): ApiError {
  const remedy = certificateRemedy(cause);
  return new ApiError('target_failed', `The target ${label} failed: ${detail}.`, { cause, remedy });
}

/** The service does not connect to this target. */
export function targetRefused(message: string, remedy?: string): ApiError {
  return new ApiError('invalid_request', message, { remedy });
}

export function encoderMissing(cause: unknown): ApiError {
  const message = 'ffmpeg, which encodes video, is not installed on the server.';
  return new ApiError('unsupported', message, { remedy: 'Run on the server: vc setup', cause });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
