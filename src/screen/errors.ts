import { ApiError } from '../contract/errors.js';

const REMEDY = 'try again, and restart the computer if it stays so';

/** The display server broke the protocol. `detail` completes "the display server …". */
export function protocolError(detail: string, cause?: unknown): ApiError {
  return new ApiError(
    'guest_failed',
    `the computer's display server ${detail}; the connection was closed: ${REMEDY}`,
    { cause },
  );
}

/** The stream under the connection ended or failed. */
export function connectionLost(cause?: unknown): ApiError {
  return new ApiError('guest_failed', `the connection to the computer's screen ended; ${REMEDY}`, {
    cause,
  });
}

/** The display server left an answer owing. `what` completes "did not …". */
export function noAnswer(what: string, milliseconds: number): ApiError {
  const seconds = Math.round(milliseconds / 100) / 10;
  return new ApiError(
    'guest_timeout',
    `the computer's display server did not ${what} within ${seconds} s; ${REMEDY}`,
  );
}

/** A point or region outside the screen; says the screen's size. */
export function offScreen(
  what: string,
  size: { readonly width: number; readonly height: number },
): ApiError {
  return new ApiError(
    'off_screen',
    `${what} is outside the screen, which is ${size.width}x${size.height}: x from 0 to ${size.width - 1}, y from 0 to ${size.height - 1}`,
  );
}
