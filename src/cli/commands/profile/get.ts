import type { Setting } from '../../../profile/index.js';
import { defineCommand } from '../../define.js';
import { printJson } from '../../output.js';
import { printRecord } from '../../table.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show the settings in force and where each comes from',
  details: 'A flag is stronger than the environment, that than the profile, that than the default.',
  arguments: {},
  options: {},
  examples: [{ does: 'See which service commands talk to', command: 'vc profile get' }],
  async run(context) {
    const { profile, baseUrl, apiKey, project } = await context.settings();
    const values = { profile, base_url: baseUrl, api_key: apiKey && mask(apiKey), project };
    if (context.globals.json) {
      const entries = Object.entries(values).map(([name, setting]) => [name, setting ?? null]);
      return void (await printJson(context, Object.fromEntries(entries)));
    }
    const lines = Object.entries(values).map(([name, setting]): [string, string] => [
      name.replace('_', ' '),
      setting === undefined ? '(none)' : `${setting.value}  (${setting.source}: ${setting.from})`,
    ]);
    await printRecord(context, lines);
    return undefined;
  },
});

/** A key is never shown again; that one is there is what matters. */
function mask(setting: Setting<string>): Setting<string> {
  return { ...setting, value: '********' };
}
