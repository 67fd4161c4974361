import { defineCommand } from '../../framework/define.js';
import { ownerFields } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { recordFormat } from '../../output/format/options.js';
import { print, printJson } from '../../output/print.js';
import { printRecord } from '../../output/table.js';
import { request } from '../../targets/client.js';
import { ownerArgument } from '../../targets/owners.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show an owner',
  arguments: { owner: ownerArgument },
  options: { output: recordFormat },
  fields: fields.owner,
  examples: [{ does: 'Show an owner', command: 'vc owner get alice' }],
  async run(context, { owner: name }) {
    const owner = await request(context, 'getOwner', { params: { owner: name } });
    if (context.globals.json) await printJson(context, owner);
    else if (context.globals.quiet) await print(context, owner.id);
    else await printRecord(context, ownerFields(owner));
  },
});
