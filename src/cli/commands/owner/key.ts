import { defineCommand, value } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { note, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { ownerArgument } from '../../targets/owners.js';

export const command = defineCommand({
  name: 'key',
  summary: 'Create an API key for an owner who has lost theirs',
  details: [
    "The key is shown only once. The owner's other keys stay valid; with the new key the owner can",
    'remove them: vc key rm.',
  ].join(' '),
  arguments: { owner: ownerArgument },
  options: {
    name: value('--name <name>', 'name of the key', nonEmpty, { otherwise: 'replacement' }),
  },
  fields: fields.createdKey,
  examples: [{ does: 'Replace a lost key', command: 'vc owner key alice' }],
  async run(context, { owner }, { name = 'replacement' }) {
    const created = await request(context, 'createOwnerKey', { params: { owner }, body: { name } });
    if (context.globals.json) return void (await printJson(context, created));
    await print(context, created.key);
    await note(context, `created key ${created.id} of ${owner}; it cannot be shown again`);
  },
});
