import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { done, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'return',
  summary: 'Let a drained member have computers again',
  details: 'For administrators. Computers that were moved stay where they are.',
  arguments: { member: argument('member', 'name', nonEmpty, { completes: 'member' }) },
  options: {},
  examples: [{ does: 'Let a member have computers again', command: 'vc cluster return node2' }],
  async run(context, { member: name }) {
    const member = await request(context, 'returnMember', { params: { member: name } });
    if (context.globals.json) await printJson(context, member);
    else await done(context, `${name} may have computers again`);
  },
});
