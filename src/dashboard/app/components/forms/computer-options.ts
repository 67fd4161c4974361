/** Numbers of cores, and of GB of memory. */
export const SIZES = ['2', '4', '8'].map((value) => ({ value, text: value }));

export const RESOLUTION = '\\d{3,4}x\\d{3,4}';

/** Seconds until a computer is deleted. */
export const EXPIRY = [
  { value: '', text: 'never' },
  { value: '3600', text: 'in 1 hour' },
  { value: '28800', text: 'in 8 hours' },
  { value: '86400', text: 'in 1 day' },
  { value: '604800', text: 'in 7 days' },
  { value: '2592000', text: 'in 30 days' },
];

export const LABELS_HINT = 'One name=value a line.';
