import { argument, defineCommand } from '../../define.js';
import { done, printJson } from '../../output.js';
import { nonEmpty } from '../../parse.js';
import { unknownProfile } from '../../profiles.js';

export const command = defineCommand({
  name: 'use',
  summary: 'Make a profile the current one',
  arguments: { name: argument('name', 'name of the profile', nonEmpty, { completes: 'profile' }) },
  options: {},
  examples: [
    { does: 'Talk to the service of the profile office', command: 'vc profile use office' },
  ],
  async run(context, { name }) {
    if (!(await context.profiles().use(name))) throw await unknownProfile(context, name);
    if (context.globals.json) await printJson(context, { current: name });
    else await done(context, `profile ${name} is in use`);
    return undefined;
  },
});
