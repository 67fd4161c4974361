import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { done, printJson } from '../../output/print.js';
import { unknownProfile } from '../../targets/profiles.js';

export const command = defineCommand({
  name: 'use',
  summary: 'Switch to another profile',
  arguments: { name: argument('name', 'name of the profile', nonEmpty, { completes: 'profile' }) },
  options: {},
  examples: [{ does: 'Use the profile office', command: 'vc profile use office' }],
  async run(context, { name }) {
    if (!(await context.profiles().use(name))) throw await unknownProfile(context, name);
    if (context.globals.json) await printJson(context, { current: name });
    else await done(context, `switched to profile ${name}`);
  },
});
