import { UsageError } from '../../errors/cli-error.js';
import { defineCommand, flag, value } from '../../framework/define.js';
import { idleTime } from '../../input/duration.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { computerArgument, onComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'update',
  summary: 'Change the name, protection or auto-stop of a computer',
  details: 'Also works while the computer is running. Only the given settings change.',
  arguments: { computer: computerArgument },
  options: {
    name: value('--name <name>', 'new name', nonEmpty),
    autoStop: value(
      '--auto-stop <duration>',
      'stop after this time without a request, or never; a bare number is minutes',
      idleTime,
    ),
    protect: flag('--protect', 'protect it from removal'),
    unprotect: flag('--unprotect', 'allow removal'),
  },
  fields: fields.computer,
  examples: [
    {
      does: 'Protect a computer from removal',
      command: 'vc computer update demo/desktop --protect',
    },
    { does: 'Disable auto-stop', command: 'vc computer update demo/desktop --auto-stop never' },
  ],
  async run(context, { computer }, { name, autoStop, protect, unprotect }) {
    if (protect && unprotect) throw new UsageError('--protect and --unprotect cannot be combined');
    if (name === undefined && autoStop === undefined && !protect && !unprotect) {
      throw new UsageError('no changes given');
    }
    const changed = await onComputer(context, 'updateComputer', computer, {
      ...(name === undefined ? {} : { name }),
      ...(autoStop === undefined ? {} : { auto_stop_minutes: autoStop }),
      ...(protect || unprotect ? { protected: protect } : {}),
    });
    if (context.globals.json) await printJson(context, changed);
    else if (context.globals.quiet) await print(context, changed.id);
    else await done(context, `updated ${changed.project_name}/${changed.name}`);
  },
});
