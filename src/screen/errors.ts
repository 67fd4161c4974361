import { ApiError } from '../contract/errors.js';
import { contains, type Region, type Size } from './geometry.js';

const remedy = 'Try again; if it fails again, restart the computer.';

/** The display server broke the protocol. `detail` completes "The computer's display server …". */
export function protocolError(detail: string, cause?: unknown): ApiError {
  const message = `The computer's display server ${detail}. The connection was closed.`;
  return new ApiError('guest_failed', message, { remedy, cause });
}

/** The stream under the connection ended or failed. */
export function connectionLost(cause?: unknown): ApiError {
  const message = "The connection to the computer's screen ended.";
  return new ApiError('guest_failed', message, { remedy, cause });
}

/** The display server did not answer in time. `what` completes "did not …". */
export function noAnswer(what: string, milliseconds: number): ApiError {
  const seconds = Math.round(milliseconds / 100) / 10;
  const message = `The computer's display server did not ${what} within ${seconds} s.`;
  return new ApiError('guest_timeout', message, { remedy });
}

/** Throws `off_screen` for a region that is not entirely on a screen of this size. */
export function requireOnScreen(region: Region | undefined, size: Size): void {
  if (region === undefined || contains(size, region)) return;
  throw offScreen(`The region ${region.x},${region.y},${region.width},${region.height}`, size);
}

/** A point or region outside the screen. `what` starts the message, which states the size. */
export function offScreen(what: string, { width, height }: Size): ApiError {
  const range = `x from 0 to ${width - 1}, y from 0 to ${height - 1}`;
  const message = `${what} is outside the screen, which is ${width}x${height}: ${range}.`;
  return new ApiError('off_screen', message);
}
