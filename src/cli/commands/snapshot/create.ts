import { defineCommand, flag, optional } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { size } from '../../output/size.js';
import { computerArgument, onComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'create',
  summary: 'Save the state of a computer, which runs on',
  details: [
    'Saves the disk and, on the engine qemu, the memory of a running computer. What programs keep in /tmp',
    'is saved with the memory only. To go back to it: vc reset COMPUTER SNAPSHOT.',
  ].join(' '),
  arguments: {
    computer: computerArgument,
    name: optional('name', 'name of the snapshot; without it snap-1, snap-2, …', nonEmpty),
  },
  options: { memory: flag('--no-memory', 'save the disk only') },
  fields: fields.snapshot,
  examples: [
    { does: 'Save the state of a computer', command: 'vc snapshot create demo/desktop clean' },
    { does: 'Save its disk only', command: 'vc snapshot create demo/desktop --no-memory' },
  ],
  async run(context, { computer, name }, { memory }) {
    const body = { ...(name !== undefined && { name }), ...(!memory && { memory }) };
    const progress = context.progress(`Saving ${computer}`);
    const made = await during(progress, onComputer(context, 'createSnapshot', computer, body));
    if (context.globals.json) return void (await printJson(context, made));
    if (context.globals.quiet) return void (await print(context, made.name));
    const what = made.memory ? 'disk and memory' : 'disk';
    await done(context, `saved ${computer} as ${made.name} (${what}, ${size(made.bytes)})`);
  },
});
