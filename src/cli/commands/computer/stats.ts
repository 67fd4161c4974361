import { errorLines, reportDocument } from '../../errors/report.js';
import type { Context } from '../../framework/context.js';
import { defineCommand } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { fields } from '../../output/fields.js';
import { sortOption, tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { during } from '../../output/progress.js';
import { intervalOf, watchList, watchOptions } from '../../output/watch/watch-list.js';
import { type Measured, measure, usageColumns } from '../../stats/measure.js';
import { worstExitCode } from '../../targets/computer-address.js';
import { computersArgument } from '../../targets/computers.js';

const sortByField = sortOption<Measured>({
  name: ({ name }) => name,
  cpu: ({ stats }) => stats?.cpu_percent ?? -1,
  memory: ({ stats }) => stats?.memory_used_bytes ?? -1,
  disk: ({ stats }) => stats?.disk_used_bytes ?? -1,
});

export const command = defineCommand({
  name: 'stats',
  summary: 'Show processor, memory and disk use of computers',
  details: [
    'Measures all running computers unless some are named. 100% is one whole core, measured since the',
    'previous call or over half a second. Memory is that of the container or of the virtual machine',
    'on the host. Disk is what the computer has written, without its image.',
  ].join(' '),
  arguments: { computers: { ...computersArgument('running'), required: false } },
  options: { sort: sortByField, ...watchOptions, output: tableFormat },
  fields: fields.stats,
  examples: [
    { does: 'Show what all running computers use', command: 'vc stats' },
    { does: 'Watch them, the busiest first', command: 'vc stats --watch --sort=-cpu' },
    {
      does: 'Print the memory of one computer in bytes',
      command: "vc stats demo/desktop --jq '.computers[].memory_used_bytes'",
    },
  ],
  async run(context, { computers: names }, { sort = inOrder, ...watching }) {
    const interval = intervalOf(watching);
    const shared = {
      columns: usageColumns,
      id: ({ id }: Measured) => id,
      empty: 'no computers are running; start one: vc start COMPUTER',
    };
    if (interval !== undefined) {
      const read = async (inner: Context) => sort(await measure(inner, names));
      await watchList(context, { ...shared, read, document }, interval);
      return undefined;
    }
    const rows = sort(await during(context.progress('Measuring'), measure(context, names)));
    const computers = rows.map(document);
    const isAnyMeasured = rows.length === 0 || rows.some(({ stats }) => stats !== undefined);
    if (isAnyMeasured || context.globals.json) {
      await printList(context, { ...shared, rows, document: { computers } });
    }
    for (const { name, failure } of rows) {
      if (failure === undefined || context.globals.json) continue;
      const lines = errorLines(`${name}: ${failure.message}`, failure.remedy, context.io.stderr);
      await write(context.io.stderr, `error: ${lines}\n`);
    }
    return worstExitCode(rows.map(({ failure }) => failure?.exitCode ?? 0));
  },
});

/** As the service lists them. */
function inOrder(rows: readonly Measured[]): Measured[] {
  return [...rows];
}

/** What --json prints of a computer. */
function document({ id, name, stats, failure }: Measured): unknown {
  if (failure === undefined) return { id, name, ...stats };
  const { code, message, hint } = reportDocument(failure);
  return { id, name, error: { code, message, hint } };
}
