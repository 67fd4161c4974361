import { defineCommand } from '../define.js';
import { fields } from '../fields.js';
import { print, printJson } from '../output.js';
import { printRecord } from '../table.js';

export const command = defineCommand({
  name: 'whoami',
  summary: 'Say whose key is in use, and on which service',
  arguments: {},
  options: {},
  fields: fields.me,
  examples: [
    { does: 'See who you are to the service', command: 'vc whoami' },
    {
      does: 'How many more computers may run',
      command: "vc whoami --jq '.max_running - .running'",
    },
  ],
  async run(context) {
    const { baseUrl, apiKey, profile } = await context.settings();
    const client = await context.client();
    const me = await client.request('getMe', { signal: context.interrupts.signal });
    const where = { base_url: baseUrl.value, profile: profile.value };
    if (context.globals.json) await printJson(context, { ...me, ...where });
    else if (context.globals.quiet) await print(context, me.user_id);
    else {
      const isStored = apiKey?.source === 'profile';
      await printRecord(context, [
        ['user', `${me.name} (${me.user_id})`],
        [
          'key',
          `${me.key.name} (${me.key.id}), from ${isStored ? `profile ${profile.value}` : apiKey?.from}`,
        ],
        ['service', baseUrl.value],
        ['computers', `${me.running} of ${me.max_running} running`],
      ]);
    }
    return undefined;
  },
});
