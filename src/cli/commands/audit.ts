import type { Answer } from '../../contract/types/index.js';
import { defineCommand, value } from '../framework/define.js';
import { nonEmpty, number } from '../input/parse.js';
import { actionColumns } from '../output/audit-columns.js';
import { fields } from '../output/fields.js';
import { tableFormat } from '../output/format/format-option.js';
import { note, print, printJson } from '../output/print.js';
import { type Column, printTable } from '../output/table.js';
import { request } from '../targets/client.js';
import { ownerOption } from '../targets/owners.js';

type Entry = Answer<'listAudit'>['entries'][number];

const columns: readonly Column<Entry>[] = [
  ...(actionColumns as readonly Column<Entry>[]),
  { header: 'COMPUTER', spare: 4, value: (entry) => entry.computer_id ?? '' },
];

export const command = defineCommand({
  name: 'audit',
  summary: 'Show your audit log, newest first',
  details: [
    'Operations on all your computers, deleted ones included, and on your API keys, projects and',
    'connections. Entries are kept for 90 days in which the service runs. An administrator sees the',
    'log of another owner with --owner; a deleted owner is named by its id.',
  ].join(' '),
  arguments: {},
  options: {
    limit: value(
      '--limit <count>',
      'number of entries',
      number({ min: 1, max: 1000, unit: 'entries' }),
      { otherwise: '100' },
    ),
    before: value(
      '--before <id>',
      'only entries older than this one, for the next page',
      number({ min: 1, max: Number.MAX_SAFE_INTEGER, unit: 'an entry id' }),
    ),
    owner: ownerOption,
    computer: value('--computer <id>', 'only entries of this computer, by its id', nonEmpty, {
      completes: 'computer-id',
    }),
    output: tableFormat,
  },
  fields: fields.auditEntry,
  examples: [
    { does: 'Show the last ten entries', command: 'vc audit --limit 10' },
    {
      does: 'Show the history of a deleted computer',
      command: 'vc audit --computer cmp_0123456789abcdefghjk',
    },
    { does: 'Show what another owner did', command: 'vc audit --owner alice' },
  ],
  async run(context, _, { owner, limit, before, computer }) {
    const query = { limit, before, computer };
    const answer =
      owner === undefined
        ? await request(context, 'listAudit', { query })
        : await request(context, 'listOwnerAudit', { params: { owner }, query });
    const { entries } = answer;
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) for (const { id } of entries) await print(context, String(id));
    else if (entries.length > 0) await printTable(context, columns, entries);
    else await note(context, 'no entries');
  },
});
