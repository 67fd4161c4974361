const steps: readonly (readonly [number, string])[] = [
  [86_400 * 365, 'year'],
  [86_400 * 30, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** `3 minutes ago` for a time in RFC 3339; the text itself where it is none. */
export function relativeTime(timestamp: string, now: Date): string {
  const seconds = Math.floor((now.getTime() - Date.parse(timestamp)) / 1000);
  if (Number.isNaN(seconds)) return timestamp;
  if (seconds < 1) return 'just now';
  const [size, unit] = steps.find(([length]) => seconds >= length) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}
