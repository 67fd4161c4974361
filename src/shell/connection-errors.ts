import { ApiError } from '../contract/errors.js';
import { excerpt } from '../lib/text/printable.js';

export function lost(cause?: Error): ApiError {
  if (cause instanceof ApiError) return cause;
  const { level } = (cause ?? {}) as { level?: string };
  if (level === 'client-authentication') {
    return new ApiError('guest_failed', 'The computer refused the SSH key.', { cause });
  }
  const message = `The connection to the computer was lost${cause ? `: ${excerpt(cause.message)}` : ''}.`;
  return new ApiError('guest_failed', message, { cause });
}

export function violated(what: string): ApiError {
  return new ApiError('guest_failed', `The computer violated SSH: ${what}.`);
}

export function refused(cause: Error): ApiError {
  const message = `The computer could not start the command: ${excerpt(cause.message)}.`;
  return new ApiError('guest_failed', message, { cause });
}

export function noFiles(cause: Error): ApiError {
  const message = `This computer does not support file transfers: ${excerpt(cause.message)}.`;
  return new ApiError('unsupported', message, { cause });
}
