import { useState } from 'preact/hooks';
import { call } from '../../api/http.js';
import type { UsageReport } from '../../api/types.js';
import { FailureNote } from '../../components/failure.js';
import { Page } from '../../components/frame/page.js';
import { formatBytes } from '../../state/paths.js';
import { useData } from '../../state/use-data.js';
import { Chart } from './chart.js';
import { formatHours, named, sumBy } from './sums.js';
import { UsageTable } from './usage-table.js';

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
            <Limit running={value.now.running} most={value.limits.max_running} />
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

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Limit({ running, most }: { running: number; most: number | null }) {
  return (
    <div>
      <dt>Running now</dt>
      <dd>
        {running}
        <span class="muted"> of {most ?? 'any number'}</span>
        {most !== null && (
          <meter
            min={0}
            max={most}
            value={running}
            aria-label={`${running} of ${most} computers run`}
          />
        )}
      </dd>
    </div>
  );
}
