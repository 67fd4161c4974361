import type { Setting } from '../../../profile/index.js';
import { defineCommand } from '../../framework/define.js';
import { recordFormat } from '../../output/format/options.js';
import { printJson } from '../../output/print.js';
import { printRecord } from '../../output/table.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show the effective settings and their sources',
  details: 'Precedence: flag > environment > profile > default.',
  arguments: {},
  options: { output: recordFormat },
  examples: [{ does: 'Show the settings in use', command: 'vc profile get' }],
  async run(context) {
    const { profile, baseUrl, apiKey, project, cacert } = await context.settings();
    const values = {
      profile,
      base_url: baseUrl,
      api_key: apiKey && mask(apiKey),
      project,
      ...(cacert === undefined ? {} : { cacert }),
    };
    if (context.globals.json) {
      const entries = Object.entries(values).map(([name, setting]) => [name, setting ?? null]);
      return void (await printJson(context, Object.fromEntries(entries)));
    }
    const lines = Object.entries(values).map(([name, setting]): [string, string] => [
      name.replace('_', ' '),
      setting === undefined ? '(none)' : `${setting.value}  (${setting.source}: ${setting.from})`,
    ]);
    await printRecord(context, lines);
  },
});

function mask(setting: Setting<string>): Setting<string> {
  return { ...setting, value: '********' };
}
