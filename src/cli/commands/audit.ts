import { computerParameters } from '../../client/http/address.js';
import { type ErrorCode, errorCatalogue } from '../../contract/errors.js';
import type { Answer } from '../../contract/types/index.js';
import { UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { defineCommand, oneOf, value } from '../framework/define.js';
import { since } from '../input/date.js';
import { number, text } from '../input/parse.js';
import { actionColumns } from '../output/audit-columns.js';
import { fields } from '../output/fields.js';
import { tableFormat } from '../output/format/options.js';
import { note, print, printJson } from '../output/print.js';
import { type Column, printTable } from '../output/table.js';
import { request } from '../targets/client.js';
import { computerAddress, isComputerId } from '../targets/computer-address.js';
import { orDeleted } from '../targets/deleted.js';
import { listComputers } from '../targets/lookup/find-computer.js';
import { ownerOption } from '../targets/owners.js';

type Entry = Answer<'listAudit'>['entries'][number];

const OUTCOMES = ['ok', 'failed', 'cancelled'] as const;
const CODES = Object.keys(errorCatalogue) as ErrorCode[];

/** A word of {@link OUTCOMES}, or a code that the table shows. */
function outcomeOf(text: string) {
  return CODES.find((code) => code === text) ?? oneOf(OUTCOMES)(text);
}

/** The columns of a history with the computer after the action. */
function columns(names: ReadonlyMap<string, string>): readonly Column<Entry>[] {
  const [when, action, detail, ...others] = actionColumns;
  const id = ({ computer_id }: Entry) => computer_id ?? '';
  return [
    when,
    action,
    { header: 'COMPUTER', value: (entry) => names.get(id(entry)) ?? id(entry), shrinks: true },
    { ...detail, spare: 1 },
    ...others,
    { header: 'COMPUTER ID', value: id, wide: true },
  ];
}

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
    computer: value(
      '--computer <computer>',
      'only entries of this computer; a deleted one by its id',
      text,
      { completes: 'computer' },
    ),
    action: value('--action <part>', 'only actions that contain this, such as rm', text),
    key: value('--key <key>', 'only what was done with this key, by its name or id', text, {
      completes: 'key',
    }),
    outcome: {
      ...value('--outcome <outcome>', 'only these; or a code of an error, as listed', outcomeOf),
      choices: OUTCOMES,
    },
    since: value('--since <when>', 'only those since then: 2h, 7d, 2026-11-30', since),
    output: tableFormat,
  },
  fields: fields.auditEntry,
  examples: [
    { does: 'Show the last ten entries', command: 'vc audit --limit 10' },
    { does: 'Show what was done with a computer', command: 'vc audit --computer demo/desktop' },
    {
      does: 'Show the history of a deleted computer',
      command: 'vc audit --computer cmp_0123456789abcdefghjk',
    },
    { does: 'Show who removed computers', command: 'vc audit --action rm --since 7d' },
    { does: 'Show what failed today', command: 'vc audit --outcome failed --since 24h' },
    { does: 'Show what keys were refused', command: 'vc audit --outcome forbidden' },
    { does: 'Show what another owner did', command: 'vc audit --owner alice' },
  ],
  async run(context, _, { owner, limit, before, computer, action, key, outcome, since: time }) {
    if (owner !== undefined && computer !== undefined && !isComputerId(computer)) {
      throw new UsageError(
        `--owner needs the id of the computer, not ${JSON.stringify(computer)}`,
        'see the column COMPUTER ID: vc audit --owner OWNER -o wide',
      );
    }
    const query = {
      limit,
      before,
      computer: computer === undefined ? undefined : await orDeleted(computerId(context, computer)),
      action,
      key,
      outcome,
      since: time?.(context.now()),
    };
    const answer =
      owner === undefined
        ? await request(context, 'listAudit', { query })
        : await request(context, 'listOwnerAudit', { params: { owner }, query });
    const { entries } = answer;
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) for (const { id } of entries) await print(context, String(id));
    else if (entries.length === 0) await note(context, 'no entries');
    else await printTable(context, columns(await namesOf(context, entries, owner)), entries);
  },
});

/**
 * Names of computers by their ids, in the form that commands accept. Deleted ones are marked, but not
 * those of another owner: their present computers are unknown.
 */
async function namesOf(
  context: Context,
  entries: readonly Entry[],
  owner: string | undefined,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { computer_id, computer_name: name } of entries) {
    if (computer_id === null || name === null || names.has(computer_id)) continue;
    names.set(computer_id, owner === undefined ? `${name} (deleted)` : name);
  }
  if (owner !== undefined || entries.every(({ computer_id }) => computer_id === null)) return names;
  for (const { id, project_name, name } of await listComputers(context, undefined)) {
    names.set(id, `${project_name}/${name}`);
  }
  return names;
}

/** The id of a computer given by name or id; a whole id as it is, which may be of a deleted one. */
export async function computerId(context: Context, text: string): Promise<string> {
  if (isComputerId(text)) return text;
  const params = computerParameters(await computerAddress(context, text));
  return (await request(context, 'getComputer', { params })).id;
}
