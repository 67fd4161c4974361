import { defineCommand } from '../framework/define.js';
import { fields } from '../output/fields.js';
import { recordFormat } from '../output/format/format-option.js';
import { print, printJson } from '../output/print.js';
import { printRecord } from '../output/table.js';
import { request } from '../targets/client.js';

export const command = defineCommand({
  name: 'whoami',
  summary: 'Show the current user, API key and service',
  arguments: {},
  options: { output: recordFormat },
  fields: fields.me,
  examples: [
    { does: 'Show the current user', command: 'vc whoami' },
    {
      does: 'Show how many more computers can run',
      command: "vc whoami --jq '.max_running - .running'",
    },
  ],
  async run(context) {
    const { baseUrl, apiKey, profile } = await context.settings();
    const me = await request(context, 'getMe');
    const where = { base_url: baseUrl.value, profile: profile.value };
    if (context.globals.json) await printJson(context, { ...me, ...where });
    else if (context.globals.quiet) await print(context, me.user_id);
    else {
      const isStored = apiKey?.source === 'profile';
      await printRecord(context, [
        ['user', `${me.name} (${me.user_id}), ${me.role}`],
        [
          'key',
          `${me.key.name} (${me.key.id}), from ${isStored ? `profile ${profile.value}` : apiKey?.from}`,
        ],
        ['service', baseUrl.value],
        ['computers', `${me.running} of ${me.max_running} running`],
      ]);
    }
  },
});
