import type { UsageReport } from '../../api/types.js';
import { formatHours, sumBy } from './sums.js';

const HEIGHT = 100;
const DAY_MS = 86_400_000;

interface ChartProps {
  readonly days: UsageReport['days'];
  /** Days to show; those without use too. */
  readonly span: number;
}

/** Computer time of each day as bars. The tables below say the same in numbers. */
export function Chart({ days, span }: ChartProps) {
  const sums = new Map(
    sumBy(days, ({ date }) => ({ id: date, name: date })).map((sum) => [sum.id, sum]),
  );
  const dates = Array.from({ length: span }, (_, back) =>
    new Date(Date.now() - (span - 1 - back) * DAY_MS).toISOString().slice(0, 10),
  );
  const values = dates.map((date) => sums.get(date)?.computer_seconds ?? 0);
  const most = Math.max(...values, 1);
  return (
    <figure class="chart">
      <figcaption>
        Computer time of each day{' '}
        <span class="muted">most: {formatHours(Math.max(...values))}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${span} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Computer time of the last ${span} days; at most ${formatHours(Math.max(...values))} a day`}
      >
        {values.map((value, at) => {
          const height = value === 0 ? 0.6 : Math.max(1.5, (value / most) * HEIGHT);
          return (
            <rect
              key={dates[at]}
              x={at + 0.12}
              y={HEIGHT - height}
              width={0.76}
              height={height}
              data-empty={value === 0}
            >
              <title>{`${dates[at]}: ${formatHours(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="muted axis">
        <span>{dates[0]}</span>
        <span>{dates.at(-1)}</span>
      </p>
    </figure>
  );
}
