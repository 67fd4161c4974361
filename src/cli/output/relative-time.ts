import { count } from './size.js';

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
