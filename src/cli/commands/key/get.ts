import { argument, defineCommand } from '../../framework/define.js';
import { text } from '../../input/parse.js';
import { keyFields } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { recordFormat } from '../../output/format/options.js';
import { print, printJson } from '../../output/print.js';
import { printRecord } from '../../output/table.js';
import { namedKey } from '../../targets/lookup/keys.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show an API key without its secret',
  arguments: { key: argument('key', 'id or unique name', text, { completes: 'key' }) },
  options: { output: recordFormat },
  fields: fields.key,
  examples: [{ does: 'Show a key and what it has used', command: 'vc key get agent' }],
  async run(context, { key: name }) {
    const key = await namedKey(context, name);
    if (context.globals.json) await printJson(context, key);
    else if (context.globals.quiet) await print(context, key.id);
    else await printRecord(context, keyFields(key));
  },
});
