import type { ComputerStats } from '../../contract/resources.js';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import { type Report, reportOf } from '../errors/report.js';
import type { Context } from '../framework/context.js';
import { memorySize, size } from '../output/size.js';
import type { Column } from '../output/table.js';
import { onComputer } from '../targets/computers.js';
import { defaultProject } from '../targets/lookup/default-project.js';
import { listComputers } from '../targets/lookup/find-computer.js';

const CONCURRENCY = 16;
/** A computer that stops or is deleted while it is measured. */
const GONE = ['not_running', 'not_found'];

/** What a computer uses, or why that is unknown. */
export interface Measured {
  readonly id: string;
  /** `project/name`. */
  readonly name: string;
  readonly stats?: ComputerStats;
  readonly failure?: Report;
}

/** The given computers; without names all running ones, as `vc ls` lists them. */
export async function measure(context: Context, names: readonly string[]): Promise<Measured[]> {
  const limit = new ConcurrencyLimit(CONCURRENCY);
  if (names.length > 0) {
    const all = [...new Set(names)].map(async (name) => {
      const { id, project_name, name: own } = await onComputer(context, 'getComputer', name);
      return { id, name: `${project_name}/${own}` };
    });
    const found = await Promise.all(all);
    return Promise.all(found.map((one) => limit.run(() => measureOne(context, one))));
  }
  const computers = await listComputers(context, await defaultProject(context));
  const running = computers.filter(({ status }) => status === 'running');
  const measured = running.map(({ id, project_name, name }) =>
    limit.run(() => measureOne(context, { id, name: `${project_name}/${name}` })),
  );
  return (await Promise.all(measured)).filter(({ failure }) => !GONE.includes(failure?.code ?? ''));
}

async function measureOne(
  context: Context,
  computer: Pick<Measured, 'id' | 'name'>,
): Promise<Measured> {
  try {
    return { ...computer, stats: await onComputer(context, 'getStats', computer.id) };
  } catch (error) {
    if (context.interrupts.signal.aborted) throw error;
    return { ...computer, failure: reportOf(error) };
  }
}

export const usageColumns: readonly Column<Measured>[] = [
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'CPU', value: shown(({ cpu_percent }) => `${cpu_percent.toFixed(1)}%`) },
  {
    header: 'MEMORY',
    value: shown(
      ({ memory_used_bytes: used, memory_total_bytes: total }) =>
        `${memorySize(used)} of ${memorySize(total)}`,
    ),
  },
  {
    header: 'DISK',
    value: shown(({ disk_used_bytes: used, disk_total_bytes: total }) =>
      total === null ? size(used) : `${size(used)} of ${size(total)}`,
    ),
  },
  { header: 'CORES', spare: 1, value: shown(({ cpu }) => String(cpu)) },
  {
    header: 'CPU TIME',
    spare: 2,
    value: shown(({ cpu_seconds }) => `${cpu_seconds.toFixed(1)} s`),
  },
  { header: 'ID', wide: true, value: ({ id }) => id },
];

/** `-` for a computer that could not be measured. */
function shown(text: (stats: ComputerStats) => string): (row: Measured) => string {
  return ({ stats }) => (stats === undefined ? '-' : text(stats));
}
