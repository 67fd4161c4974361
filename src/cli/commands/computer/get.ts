import type { Answer } from '../../../contract/types/index.js';
import { defineCommand, enumerate } from '../../framework/define.js';
import { computerFields } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { recordFormat } from '../../output/format/options.js';
import { print } from '../../output/print.js';
import { printRecord } from '../../output/table.js';
import { namedOrOnly, onComputer, optionalComputers } from '../../targets/computers.js';
import { forEach } from '../../targets/for-each.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show computers',
  details: 'With several names, --json prints a list of `{name, answer}` or `{name, error}`.',
  arguments: { computers: optionalComputers },
  options: { output: recordFormat },
  fields: fields.computer,
  examples: [
    { does: 'Show a computer', command: 'vc get demo/desktop' },
    { does: 'Print only its id', command: 'vc get demo/desktop -q' },
    { does: 'Show several', command: 'vc get -p demo desktop agent' },
  ],
  async run(context, { computers: given }) {
    const names = given.length > 0 ? given : [await namedOrOnly(context, undefined)];
    const isOne = new Set(names).size === 1;
    const found = new Map<string, Answer<'getComputer'>>();
    const code = await forEach(context, {
      names,
      doing: `Reading ${enumerate(names)}`,
      work: async (name) => {
        const computer = await onComputer(context, 'getComputer', name);
        found.set(name, computer);
        return computer;
      },
      did: (name) => name,
      // Below, in the given order.
      show: async () => undefined,
    });
    if (context.globals.json) return code;
    for (const name of new Set(names)) {
      const computer = found.get(name);
      if (computer === undefined) continue;
      if (context.globals.quiet) {
        await print(context, computer.id);
        continue;
      }
      if (!isOne) await print(context, `==> ${name} <==`);
      await printRecord(context, computerFields(computer));
    }
    return code;
  },
});
