import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { UsageReport } from '../../api/types.js';
import { FailureNote } from '../../components/failure.js';
import { Figure } from '../../components/figure.js';
import { Page } from '../../components/frame/page.js';
import { Table } from '../../components/table.js';
import { formatBytes } from '../../state/paths.js';
import { useData } from '../../state/use-data.js';
import { formatHours, named, type Sum, sumBy } from './sums.js';

const SPANS = [7, 30, 90];

/** What the owner used, against the limits. */
export function Usage() {
  const [days, setDays] = useState(30);
  const { value, failure } = useData(`usage ${days}`, (signal) =>
    call<UsageReport>('GET', `/usage?days=${days}`, { signal }),
  );
  const total =
    value === undefined ? undefined : sumBy(value.days, () => ({ id: '', name: 'all' }))[0];
  const choose = (
    <fieldset class="switch">
      <legend class="offscreen">Days</legend>
      {SPANS.map((each) => (
        <button key={each} type="button" aria-pressed={each === days} onClick={() => setDays(each)}>
          {each} days
        </button>
      ))}
    </fieldset>
  );
  return (
    <Page title="Usage" actions={choose}>
      <FailureNote failure={failure} />
      {value !== undefined && (
        <>
          <dl class="figures">
            <Figure name="Running now" value={value.now.running} of={value.limits.max_running} />
            <Figure name="Computer time" value={formatHours(total?.computer_seconds ?? 0)} />
            <Figure name="Actions" value={(total?.actions ?? 0).toLocaleString('en')} />
            <Figure name="Data" value={formatBytes(total?.bytes ?? 0)} />
          </dl>
          <Chart days={value.days} span={days} />
          <UsageTable title="By key" sums={sumBy(value.days, ({ key }) => named(key))} />
          <UsageTable
            title="By project"
            sums={sumBy(value.days, ({ project }) =>
              project === null ? { id: '', name: 'none' } : named(project),
            )}
          />
        </>
      )}
    </Page>
  );
}

const HEIGHT = 100;
const DAY_MS = 86_400_000;

interface ChartProps {
  readonly days: UsageReport['days'];
  /** Days to show; those without use too. */
  readonly span: number;
}

/** Computer time of each day as bars. The tables below say the same in numbers. */
function Chart({ days, span }: ChartProps) {
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

const COLUMNS = [
  'Name',
  { text: 'Computer time', kind: 'number' },
  { text: 'Actions', kind: 'number' },
  { text: 'Data', kind: 'number' },
] as const;

/** What was used, by key or project. */
function UsageTable({ title, sums }: { title: string; sums: readonly Sum[] }) {
  return (
    <section>
      <h2>{title}</h2>
      {sums.length === 0 ? (
        <p class="muted">Nothing was used in this time.</p>
      ) : (
        <Table columns={COLUMNS}>
          {sums.map(({ id, name, computer_seconds, actions, bytes }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td class="number">{formatHours(computer_seconds)}</td>
              <td class="number">{actions.toLocaleString('en')}</td>
              <td class="number">{formatBytes(bytes)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
