import { count } from '../../../lib/text/count.js';

const steps: readonly (readonly [number, string])[] = [
  [86_400 * 365, 'year'],
  [86_400 * 30, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** `3 minutes ago` for a time in RFC 3339; any other text as it is. */
export function relativeTime(timestamp: string, now: Date): string {
  const seconds = Math.floor((now.getTime() - Date.parse(timestamp)) / 1000);
  if (Number.isNaN(seconds)) return timestamp;
  if (seconds < 1) return 'just now';
  const [size, unit] = steps.find(([length]) => seconds >= length) ?? [1, 'second'];
  return `${count(Math.floor(seconds / size), unit)} ago`;
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
