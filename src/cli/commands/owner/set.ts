import { MOST_RUNNING } from '../../../contract/constants.js';
import { UsageError } from '../../errors/cli-error.js';
import { defineCommand, value } from '../../framework/define.js';
import { number } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { ownerArgument } from '../../targets/owners.js';

const computers = number({ min: 1, max: MOST_RUNNING, unit: 'computers' });

export const command = defineCommand({
  name: 'set',
  summary: 'Change how many computers an owner may run',
  details: 'Running computers keep running, also beyond a lower limit.',
  arguments: { owner: ownerArgument },
  options: {
    maxRunning: value(
      '--max-running <n>',
      "computers it may run at once, or default for the service's limit",
      (text) => (text === 'default' ? null : computers(text)),
    ),
  },
  fields: fields.owner,
  examples: [
    { does: 'Allow twenty running computers', command: 'vc owner set alice --max-running 20' },
    { does: "Use the service's limit again", command: 'vc owner set alice --max-running default' },
  ],
  async run(context, { owner: name }, { maxRunning }) {
    if (maxRunning === undefined) {
      throw new UsageError('no changes given', 'for example: --max-running 20');
    }
    const owner = await request(context, 'updateOwner', {
      params: { owner: name },
      body: { max_running: maxRunning },
    });
    if (context.globals.json) await printJson(context, owner);
    else if (context.globals.quiet) await print(context, owner.id);
    else {
      const limit = owner.max_running === null ? "the service's limit" : `${owner.max_running}`;
      await done(context, `running computers of ${owner.name}: ${limit}`);
    }
  },
});
