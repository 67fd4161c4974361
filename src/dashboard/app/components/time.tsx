const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** A time as its distance from now; the exact time is its title. */
export function Time({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <span class="muted">never</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={absolute.format(date)}>
      {distance((date.getTime() - Date.now()) / 1000)}
    </time>
  );
}

function distance(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  if (unit === 'second')
    return Math.abs(seconds) < 10 ? 'now' : relative.format(Math.round(seconds), unit);
  return relative.format(Math.round(seconds / size), unit);
}

/** A date and time to the second. */
export function exactTime(at: string): string {
  return absolute.format(new Date(at));
}
