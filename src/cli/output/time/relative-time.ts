import { count } from '../../../lib/text/count.js';

const steps: readonly (readonly [number, string])[] = [
  [86_400 * 365, 'year'],
  [86_400 * 30, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** Seconds by which the clock of the service may be ahead without that being noticed. */
const CLOCK_DIFFERENCE = 10;

/** `3 minutes ago` or `in 30 days` for a time in RFC 3339; any other text as it is. */
export function relativeTime(timestamp: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(timestamp)) / 1000;
  if (Number.isNaN(seconds)) return timestamp;
  if (seconds < 1 && seconds > -CLOCK_DIFFERENCE) return 'just now';
  return seconds < 0 ? `in ${remaining(-seconds)}` : `${elapsed(seconds)} ago`;
}

function elapsed(seconds: number): string {
  const [size, unit] = steps.find(([length]) => seconds >= length) ?? [1, 'second'];
  return count(Math.floor(seconds / size), unit);
}

/** Rounded, and in days up to two months: what was just set to 7 or 30 days ends in as many. */
function remaining(seconds: number): string {
  const slack = Math.min(60, seconds / 100);
  const begins = ([length, unit]: (typeof steps)[number]) => (unit === 'month' ? 2 : 1) * length;
  const [size, unit] = steps.find((step) => seconds + slack >= begins(step)) ?? [1, 'second'];
  return count(Math.round(seconds / size), unit);
}

/** `3 minutes ago (2026-11-22 11:03:07)`, in local time; a text that is no time as it is. */
export function ageAndTime(timestamp: string, now: Date): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  return `${relativeTime(timestamp, now)} (${localTime(time)})`;
}

/** `2026-11-22 11:03:07` in the local time zone. */
export function localTime(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}
