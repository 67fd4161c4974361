import type { Answer } from '../../../contract/index.js';
import { computerArgument, onComputer } from '../../computers.js';
import { defineCommand, value } from '../../define.js';
import { fields } from '../../fields.js';
import { note, print, printJson } from '../../output.js';
import { number } from '../../parse.js';
import { type Column, printTable } from '../../table.js';

type Action = Answer<'listActions'>['actions'][number];

const columns: readonly Column<Action>[] = [
  { header: 'WHEN', value: ({ at }) => at, isTime: true },
  { header: 'ACTION', value: ({ action }) => action },
  { header: 'DETAIL', value: ({ detail }) => describe(detail), shrinks: true },
  { header: 'OUTCOME', spare: 1, value: ({ outcome }) => outcome },
  { header: 'TOOK', spare: 2, value: ({ ms }) => `${ms} ms` },
  { header: 'KEY', spare: 3, value: ({ key_id }) => key_id },
];

export const command = defineCommand({
  name: 'history',
  summary: 'Show who did what to a computer, the latest first',
  details: 'Of texts and code only the length is kept, for 90 days.',
  arguments: { computer: computerArgument },
  options: {
    limit: value('--limit <count>', 'how many', number({ min: 1, max: 1000, unit: 'entries' }), {
      otherwise: '100',
    }),
  },
  fields: fields.action,
  examples: [
    { does: 'See what was done last', command: 'vc computer history demo/desktop --limit 10' },
    {
      does: 'What failed, for a program',
      command: 'vc computer history demo/desktop --jq \'.actions[] | select(.outcome != "ok")\'',
    },
  ],
  async run(context, { computer }, { limit }) {
    const answer = await onComputer(context, 'listActions', computer, undefined, { limit });
    const { actions } = answer;
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) for (const { id } of actions) await print(context, String(id));
    else if (actions.length > 0) await printTable(context, columns, actions);
    else await note(context, 'nothing was done to it yet');
    return undefined;
  },
});

function describe(detail: Action['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
