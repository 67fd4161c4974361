import type { Context } from '../framework/context.js';
import { defineCommand } from '../framework/define.js';
import { budgetOf } from '../output/columns.js';
import { fields } from '../output/fields.js';
import { recordFormat } from '../output/format/options.js';
import { print, printJson } from '../output/print.js';
import { printRecord } from '../output/table.js';
import { request } from '../targets/client.js';
import { expiryOf, type KeyLimits, rightsOf } from './key/limits.js';

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
      const budget = budgetOf(me.key);
      const isStored = apiKey?.source === 'profile';
      await printRecord(context, [
        ['user', `${me.name} (${me.user_id})`],
        ['role', me.role === 'administrator' ? 'administrator' : 'user, not an administrator'],
        [
          'key',
          `${me.key.name} (${me.key.id}), from ${isStored ? `profile ${profile.value}` : apiKey?.from}`,
        ],
        ['rights', limitsOf(context, me.key)],
        ...(budget === undefined ? [] : [['budget', budget] as [string, string]]),
        ['service', baseUrl.value],
        ['computers', `${me.running} of ${me.max_running} running`],
      ]);
    }
  },
});

/** `look in shop, until 2027-01-31T00:00:00.000Z`; on a terminal the time as people read it. */
function limitsOf(context: Context, key: KeyLimits): string {
  const rights = rightsOf(key);
  if (!key.expires_at) return rights;
  if (!context.io.stdout.isTTY) return `${rights}, until ${key.expires_at}`;
  return `${rights}, ${expiryOf(context, key, { now: context.now(), stream: 'stdout' })}`;
}
