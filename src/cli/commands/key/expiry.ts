import { UsageError } from '../../errors/cli-error.js';
import { dateOf } from '../../input/date.js';
import { milliseconds } from '../../input/duration.js';

/** A thousand years: no date of JavaScript is beyond it. */
const MOST_MS = 1000 * 366 * 86_400_000;

/** When something ends: given the present, a time in UTC, or null for never. */
export type Expiry = (now: Date) => string | null;

/** A duration from now such as `30d`, a date or time such as `2027-01-31`, or `never`. */
export function expiry(text: string): Expiry {
  if (text === 'never') return () => null;
  const ms = milliseconds(text);
  if (ms !== undefined && ms > 0 && ms <= MOST_MS) {
    return (now) => new Date(now.getTime() + ms).toISOString();
  }
  const time = dateOf(text);
  if (time !== undefined) {
    return (now) => {
      if (time > now) return time.toISOString();
      throw new UsageError(`--expires must be in the future, not ${JSON.stringify(text)}`);
    };
  }
  throw new UsageError(
    `must be a time from now such as 30d or 12h, a date such as 2027-01-31, or never, not ${JSON.stringify(text)}`,
  );
}
