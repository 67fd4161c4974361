import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { call, query } from '../../api/http.js';
import type {
  Answer,
  AuditEntry,
  Health,
  Me,
  StatsHistory,
  StatsSample,
  WallComputer,
} from '../../api/types.js';
import { Commands, Empty } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Figure } from '../../components/figure.js';
import { Page } from '../../components/frame/page.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { formatBytes } from '../../state/paths.js';
import { shownStatus } from '../../state/power.js';
import { useData, useRefresh } from '../../state/use-data.js';
import { computers, isListed } from '../../state/wall.js';
import { endMs, endOf, FOLLOWED, joined, readEntries } from '../activity/read.js';
import { ComputerLink, Sentence } from '../activity/sentence.js';
import { runsOf } from '../activity/sentences.js';
import { EVERY_MS, followed, IDLE_MS, isIdle, lines, newestOf, totals } from './measurements.js';

/** Milliseconds between two readings of the audit log. */
const READ_EVERY_MS = 5_000;
/** Entries that are read, and of these the ones that are shown. */
const ENTRIES = 500;
const SHOWN = 8;

/** The fleet at a glance: how much runs, what it uses, what happened last, and what failed. */
export function Overview() {
  const all = useComputed(() => [...computers.value.values()]).value;
  const of = (status: string) => all.filter((computer) => shownStatus(computer) === status);
  const [running, failed] = [of('running'), of('error')];
  const known = useRef<readonly AuditEntry[]>([]);
  const readLatest = async (signal: AbortSignal) => {
    const isFirst = known.current.length === 0;
    const newest = await readEntries({}, { limit: isFirst ? ENTRIES : FOLLOWED, signal });
    const all =
      joined(newest, known.current) ?? (await readEntries({}, { limit: ENTRIES, signal }));
    known.current = all.slice(0, ENTRIES);
    return known.current;
  };
  const data = useData('overview', async (signal) => {
    const [me, health, entries, failures] = await Promise.all([
      call<Me>('GET', '/me', { signal }),
      call<Health>('GET', '/health', { signal }),
      readLatest(signal),
      readEntries({ outcome: 'failed' }, { limit: SHOWN, signal }),
    ]);
    return { me, health, entries, failures };
  });
  useRefresh(data, READ_EVERY_MS);
  const ids = running.map(({ id }) => id);
  const kept = useRef<readonly StatsHistory[]>([]);
  const history = useData('history', async (signal) => {
    // Only what is new: of a large fleet the hour is a megabyte.
    const path = `/stats/history${query({ since: newestOf(kept.current) })}`;
    const { computers } = await call<Answer<'listStatsHistory'>>('GET', path, { signal });
    kept.current = followed(kept.current, computers);
    return kept.current;
  });
  useRefresh(history, EVERY_MS);
  const measured = new Map(history.value?.map((each) => [each.id, each]));
  const { value, failure } = data;
  const entries = value?.entries ?? [];
  const now = Date.now();
  const failures = [...(value?.failures ?? []), ...entries.filter(isFailedCommand)].sort(
    (one, other) => endMs(other) - endMs(one),
  );
  const used = ids.flatMap((id) => measured.get(id) ?? []);
  return (
    <Page title="Overview">
      <FailureNote failure={failure} />
      <dl class="figures dense">
        <Figure
          name="Running"
          value={running.length}
          of={value?.me.max_running}
          href="/computers?status=running"
          note={others(value?.me.running, running.length)}
        />
        <Figure
          name="Failed"
          value={failed.length}
          href="/computers?status=error"
          isBad={failed.length > 0}
        />
        <Figure
          name="Idle"
          value={
            history.value === undefined ? '…' : used.filter((each) => isIdle(each, now)).length
          }
          note={`not used for ${IDLE_MS / 60_000} min`}
        />
        <Figure name="Stopped" value={of('stopped').length} href="/computers?status=stopped" />
        <Totals of={used} running={running.length} />
      </dl>
      {isListed.value && all.length === 0 && (
        <Empty title="No computers yet">
          <p class="sentence">
            Create the first one on the page <a href="/computers">Computers</a>, or with two
            commands:
          </p>
          <Commands lines={['vc create desk', 'vc view desk']} />
        </Empty>
      )}
      <div class="halves">
        <section>
          <h2>Latest actions</h2>
          <Entries entries={entries} none="Nothing was done yet." />
          <p>
            <a href="/activity">All activity</a>
          </p>
        </section>
        <section>
          <h2>Recent failures</h2>
          {failed.map(({ id, status_reason }) => (
            <p key={id} class="break sentence">
              <ComputerLink id={id} />: <bdi>{status_reason ?? 'failed'}</bdi>
            </p>
          ))}
          <Entries entries={failures} none="Nothing has failed." />
          <p>
            <a href="/activity?outcome=failed">All failures</a>
          </p>
        </section>
      </div>
      {running.length > 0 && <Running computers={running} {...{ measured, now }} />}
      {value !== undefined && <Service health={value.health} />}
    </Page>
  );
}

/** A command that failed, of a request that did not. */
function isFailedCommand({ detail, outcome }: AuditEntry): boolean {
  return outcome === 'ok' && detail.exit_code !== undefined;
}

/** Computers that the key does not see count too. */
function others(all: number | undefined, seen: number): string | undefined {
  if (all === undefined || all <= seen) return undefined;
  return `${all - seen} more run that your key does not see`;
}

/** What the running computers use together. */
function Totals({ of: all, running }: { of: readonly StatsHistory[]; running: number }) {
  const sum = totals(all);
  const none = sum.measured === 0;
  const note =
    none || sum.measured === running ? undefined : `${sum.measured} of ${running} measured`;
  return (
    <>
      <Figure
        name="Processor"
        value={none ? '–' : sum.cores.toFixed(1)}
        of={none ? undefined : sum.cpu}
        unit="cores"
        note={note}
      />
      <Figure
        name="Memory"
        value={none ? '–' : formatBytes(sum.memory)}
        of={none ? undefined : sum.ram}
        ofText={formatBytes(sum.ram)}
        part={sum.memory}
        note={note}
      />
      <Figure
        name="Disk"
        value={sum.disks === 0 ? '–' : formatBytes(sum.disk)}
        note={`written by ${sum.disks === sum.measured ? 'those' : `${sum.disks} of those`} that run`}
      />
    </>
  );
}

function Entries({ entries, none }: { entries: readonly AuditEntry[]; none: string }) {
  if (entries.length === 0) return <p class="muted">{none}</p>;
  return (
    <ul class="plain rows events">
      {runsOf(entries)
        .slice(0, SHOWN)
        .map(({ entry, count }) => (
          <li key={entry.id}>
            <Sentence entry={entry} count={count} />
            <span class="muted">
              <Time at={endOf(entry)} />
            </span>
          </li>
        ))}
    </ul>
  );
}

const COLUMNS = [
  'Computer',
  'Last used',
  { text: 'Processor', kind: 'number' },
  'Last hour',
  { text: 'Memory', kind: 'number' },
  'Last hour ',
  { text: 'Disk', kind: 'number' },
] as const;

interface RunningProps {
  readonly computers: readonly WallComputer[];
  readonly measured: ReadonlyMap<string, StatsHistory>;
  readonly now: number;
}

/** Every running computer with what it uses, the busiest first. */
function Running({ computers: running, measured, now }: RunningProps) {
  const load = ({ id }: WallComputer) => measured.get(id)?.samples.at(-1)?.cpu_percent ?? -1;
  return (
    <section>
      <h2>Running computers</h2>
      <Table columns={COLUMNS}>
        {[...running]
          .sort((one, other) => load(other) - load(one))
          .map((computer) => (
            <tr key={computer.id}>
              <th scope="row">
                <ComputerLink id={computer.id} />
              </th>
              <td>
                <Time at={measured.get(computer.id)?.used_at ?? computer.started_at} />
              </td>
              <Used of={measured.get(computer.id)} now={now} />
            </tr>
          ))}
      </Table>
      <p class="muted">Measured every {EVERY_MS / 1000} seconds, the disk less often.</p>
    </section>
  );
}

function Used({ of: history, now }: { of: StatsHistory | undefined; now: number }) {
  const { samples = [], cpu = 1, memory_total_bytes = 1, disk_used_bytes = null } = history ?? {};
  const last = samples.at(-1);
  const load = (sample: StatsSample) => sample.cpu_percent;
  const memory = (sample: StatsSample) => sample.memory_used_bytes;
  return (
    <>
      <td class="number nowrap">
        {last === undefined ? '–' : `${Math.round(last.cpu_percent)} %`}
      </td>
      <td>
        <Graph name="Processor" paths={lines(samples, load, cpu * 100, now)} />
      </td>
      <td class="number nowrap">
        {last === undefined ? '–' : formatBytes(last.memory_used_bytes)}
      </td>
      <td>
        <Graph name="Memory" paths={lines(samples, memory, memory_total_bytes, now)} />
      </td>
      <td class="number nowrap">{disk_used_bytes === null ? '–' : formatBytes(disk_used_bytes)}</td>
    </>
  );
}

/** The last hour; the whole height is all that the computer may use. */
function Graph({ name, paths }: { name: string; paths: readonly string[] }) {
  return (
    <svg
      class="graph"
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${name} in the last hour`}
    >
      {paths.map((points) => (
        <polyline key={points} points={points} />
      ))}
    </svg>
  );
}

/** The service itself: its engines and the space for its state. */
function Service({ health }: { health: Health }) {
  const parts = [...health.engines, { name: 'State', ...health.store }];
  return (
    <section>
      <h2>Service</h2>
      <ul class="plain rows">
        {parts.map(({ name, usable, detail }) => (
          <li key={name}>
            <span class="status" data-status={usable ? 'running' : 'error'}>
              <span class="dot" aria-hidden="true" />
              {name}
            </span>
            <span class="muted break">{detail}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
