import { UsageError } from '../errors/cli-error.js';
import { milliseconds } from './duration.js';

const FORM = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const CENTURY_MS = 100 * 366 * 86_400_000;

/** A date or time such as `2027-01-31`; undefined for any other text. */
export function dateOf(text: string): Date | undefined {
  // A date without a time is midnight here, as people write it.
  const time = new Date(text.includes('T') ? text : `${text}T00:00:00`);
  return FORM.test(text) && !Number.isNaN(time.getTime()) ? time : undefined;
}

/** A past time in UTC, given the present: a duration before it such as `2h`, or a date or time. */
export function since(text: string): (now: Date) => string {
  const ms = milliseconds(text);
  if (ms !== undefined && ms <= CENTURY_MS) {
    return (now) => new Date(now.getTime() - ms).toISOString();
  }
  const time = dateOf(text);
  if (time !== undefined) return () => time.toISOString();
  throw new UsageError(
    `must be a time before now such as 2h or 7d, or a date such as 2026-11-30, not ${JSON.stringify(text)}`,
  );
}
