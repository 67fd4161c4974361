import { argument, defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { note, print, printJson } from '../../output.js';
import { nonEmpty } from '../../parse.js';

export const command = defineCommand({
  name: 'create',
  summary: 'Create an API key; it is shown once',
  arguments: { name: argument('name', 'what the key is for', nonEmpty) },
  options: {},
  fields: fields.createdKey,
  examples: [
    { does: 'Make a key for an agent', command: 'vc key create agent' },
    {
      does: 'Keep the key where only you can read it',
      command: '(umask 077; vc key create ci -q > ci.key)',
    },
  ],
  async run(context, { name }) {
    const client = await context.client();
    const { signal } = context.interrupts;
    const created = await client.request('createKey', { body: { name }, signal });
    if (context.globals.json) {
      await printJson(context, created);
      return undefined;
    }
    await print(context, created.key);
    await note(context, `this is key ${created.id}; it cannot be shown again`);
    return undefined;
  },
});
