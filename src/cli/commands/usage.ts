import type { Answer } from '../../contract/types/index.js';
import { defineCommand, value } from '../framework/define.js';
import { number } from '../input/parse.js';
import { tableFormat } from '../output/format/options.js';
import { printList } from '../output/list.js';
import { note } from '../output/print.js';
import { size } from '../output/size.js';
import type { Column } from '../output/table.js';
import { request } from '../targets/client.js';

type Day = Answer<'getUsage'>['days'][number];

/** Characters of an id that tell it apart from others: `key_4rswqa`. */
const ID_PREFIX = 10;

const columns: readonly Column<Day>[] = [
  { header: 'DATE', value: ({ date }) => date },
  {
    header: 'PROJECT',
    value: ({ project }) => (project === null ? '' : nameOf(project)),
    shrinks: true,
  },
  { header: 'KEY', value: ({ key }) => nameOf(key), shrinks: true },
  { header: 'COMPUTERS', spare: 2, value: ({ computers }) => String(computers) },
  { header: 'HOURS', value: (day) => (day.computer_seconds / 3600).toFixed(2) },
  { header: 'ACTIONS', value: ({ actions }) => String(actions) },
  { header: 'MIB', spare: 1, value: ({ bytes }) => (bytes / 2 ** 20).toFixed(1) },
];

export const command = defineCommand({
  name: 'usage',
  summary: 'Show what was used, by day, project and API key',
  details: [
    'COMPUTERS were created on the day. HOURS are those in which computers ran, added up, for the key',
    'that created them. MIB were sent and received. Days are in UTC; 90 are kept.',
  ].join(' '),
  arguments: {},
  options: {
    days: value('--days <n>', 'how many days', number({ min: 1, max: 90, unit: 'days' }), {
      otherwise: '30',
    }),
    output: tableFormat,
  },
  fields: ['date', 'key', 'project', 'computers', 'computer_seconds', 'actions', 'bytes'],
  examples: [
    { does: 'Show the last month', command: 'vc usage' },
    { does: 'Show today as JSON', command: 'vc usage --days 1 --json' },
  ],
  async run(context, _, { days }) {
    const report = await request(context, 'getUsage', { query: { days } });
    await printList(context, {
      document: report,
      rows: report.days,
      columns,
      id: ({ date }) => date,
      empty: 'nothing was used yet',
    });
    if (context.globals.json || context.globals.quiet) return;
    const { limits, now } = report;
    const running = `${now.running} of ${limits.max_running} computers running`;
    const cache = now.build_cache_bytes;
    const part = cache > 0 ? `, ${size(cache)} of it by the cache of image builds` : '';
    await note(
      context,
      `${running}, ${size(now.storage_bytes)} of ${limits.max_storage} GB stored${part}`,
    );
    if (part !== '') await note(context, 'to remove the cache: vc image prune');
  },
});

/** The name, or the beginning of the id if the name of a deleted key or project is not known. */
function nameOf({ id, name, deleted }: Partial<Day['key']>): string {
  const text = name ?? id?.slice(0, ID_PREFIX) ?? '';
  return deleted && text !== '' ? `${text} (deleted)` : text;
}
