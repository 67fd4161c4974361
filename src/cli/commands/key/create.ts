import { UsageError } from '../../errors/cli-error.js';
import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { note, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'create',
  summary: 'Create an API key, which is shown only once',
  arguments: { name: argument('name', 'name of the key', nonEmpty) },
  options: {},
  fields: fields.createdKey,
  examples: [
    { does: 'Create a key for an agent', command: 'vc key create agent' },
    {
      does: 'Save the key in a private file',
      command: '(umask 077; vc key create ci -q > ci.key)',
    },
  ],
  async run(context, { name }) {
    if (context.globals.project !== undefined) {
      throw new UsageError(
        '--project: a key is not limited to a project, but has all projects of its owner',
        'for projects and a key of their own: vc owner create NAME',
      );
    }
    const created = await request(context, 'createKey', { body: { name } });
    if (context.globals.json) {
      await printJson(context, created);
      return undefined;
    }
    await print(context, created.key);
    await note(context, `created key ${created.id}; it cannot be shown again`);
  },
});
