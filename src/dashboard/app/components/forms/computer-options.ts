/** Numbers of cores, or of GB of memory, with the present one: computers made by older clients may have 1 or 16. */
export function sizes(present = 2) {
  const all = [...new Set([2, 4, 8, present])].sort((one, other) => one - other);
  return all.map((size) => ({ value: `${size}`, text: `${size}` }));
}

export const RESOLUTION = '\\d{3,4}x\\d{3,4}';

/** Times from now, in seconds. */
export const SOON = [
  { value: '3600', text: 'in 1 hour' },
  { value: '28800', text: 'in 8 hours' },
  { value: '86400', text: 'in 1 day' },
  { value: '604800', text: 'in 7 days' },
];

/** When a computer is deleted, or a key ends, in seconds. */
export const EXPIRY = [
  { value: '', text: 'never' },
  ...SOON,
  { value: '2592000', text: 'in 30 days' },
];

/** The time in so many seconds. */
export function inSeconds(seconds: string | undefined): string {
  return new Date(Date.now() + Number(seconds) * 1_000).toISOString();
}

export const LABELS_HINT = 'One name=value a line.';
