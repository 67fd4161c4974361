/** Median, 95th percentile and minimum of `samples`. */
export function quantiles(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { p50: at(0.5), p95: at(0.95), min: sorted[0] };
}
