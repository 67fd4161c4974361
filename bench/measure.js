/** Median, 95th percentile and minimum of `samples`. */
export function quantiles(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { p50: at(0.5), p95: at(0.95), min: sorted[0] };
}

/** Runs `work` `count` times after `warm` uncounted runs; returns the milliseconds of each. */
export async function sample(count, work, warm = 3) {
  for (let i = 0; i < warm; i++) await work(i);
  const times = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await work(i);
    times.push(performance.now() - startedAt);
  }
  return times;
}

const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** One line of the report. `ratio` is the median of the comparison divided by our own. */
export function row(what, own, other) {
  const a = quantiles(own);
  const line = { what, p50: ms(a.p50), p95: ms(a.p95), runs: own.length };
  if (!other) return line;
  const b = quantiles(other.times);
  return { ...line, against: other.name, 'its p50': ms(b.p50), ratio: (b.p50 / a.p50).toFixed(1) };
}
