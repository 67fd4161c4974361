import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { recordFormat } from '../../output/format/options.js';
import { print, printJson } from '../../output/print.js';
import { printRecord } from '../../output/table.js';
import { request } from '../../targets/client.js';
import { memberFields } from './members.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show a member of the cluster',
  details: 'For administrators.',
  arguments: { member: argument('member', 'name', nonEmpty, { completes: 'member' }) },
  options: { output: recordFormat },
  fields: fields.member,
  examples: [{ does: 'Show a member', command: 'vc cluster get node1' }],
  async run(context, { member: name }) {
    const member = await request(context, 'getMember', { params: { member: name } });
    if (context.globals.json) await printJson(context, member);
    else if (context.globals.quiet) await print(context, member.name);
    else await printRecord(context, memberFields(member));
  },
});
