import { notFound } from '../../errors/cli-error.js';
import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { done, printJson } from '../../output/print.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove an alias',
  arguments: { name: argument('name', 'name of the alias', nonEmpty, { completes: 'alias' }) },
  options: {},
  examples: [{ does: 'Remove an alias', command: 'vc alias rm look' }],
  async run(context, { name }) {
    const isRemoved = await context.profiles().removeAlias(name);
    if (!isRemoved) throw notFound(`there is no alias "${name}"`, 'see: vc alias ls');
    if (context.globals.json) await printJson(context, { success: true });
    else await done(context, `removed the alias ${name}`);
  },
});
