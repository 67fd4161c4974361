import { ApiError } from '../contract/errors.js';

/** The target cannot be reached, or does not take the stream. `detail` never holds its key. */
export function targetFailed(label: string, detail: string, cause?: unknown): ApiError {
  return new ApiError('target_failed', `The stream to ${label} failed: ${detail}.`, { cause });
}

/** The target is not one that this service streams to. */
export function targetRefused(detail: string): ApiError {
  return new ApiError('invalid_request', detail);
}

export function encoderMissing(cause: unknown): ApiError {
  return new ApiError(
    'unsupported',
    'ffmpeg, which encodes video, is not installed on the machine of the service; run there: vc setup',
    { cause },
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
