import { computerArgument, onComputer } from '../../computers.js';
import { defineCommand, flag, value } from '../../define.js';
import { UsageError } from '../../errors.js';
import { fields } from '../../fields.js';
import { done, print, printJson } from '../../output.js';
import { nonEmpty, number } from '../../parse.js';

const minutes = number({ min: 1, max: 525_600, unit: 'minutes' });

export const command = defineCommand({
  name: 'update',
  summary: 'Rename or protect a computer, or set when it stops',
  details: 'It may run meanwhile. What is not given stays as it is.',
  arguments: { computer: computerArgument },
  options: {
    name: value('--name <name>', 'another name', nonEmpty),
    autoStop: value(
      '--auto-stop <minutes>',
      'stop it after so long without a request, or never',
      (text) => (text === 'never' ? null : minutes(text)),
    ),
    protect: flag('--protect', 'keep it from being removed'),
    unprotect: flag('--unprotect', 'let it be removed again'),
  },
  fields: fields.computer,
  examples: [
    { does: 'Keep it from being removed', command: 'vc computer update demo/desktop --protect' },
    { does: 'Let it run for ever', command: 'vc computer update demo/desktop --auto-stop never' },
  ],
  async run(context, { computer }, { name, autoStop, protect, unprotect }) {
    if (protect && unprotect) throw new UsageError('give --protect or --unprotect, not both');
    if (name === undefined && autoStop === undefined && !protect && !unprotect) {
      throw new UsageError('there is nothing to change');
    }
    const changed = await onComputer(context, 'updateComputer', computer, {
      ...(name === undefined ? {} : { name }),
      ...(autoStop === undefined ? {} : { auto_stop_minutes: autoStop }),
      ...(protect || unprotect ? { protected: protect } : {}),
    });
    if (context.globals.json) await printJson(context, changed);
    else if (context.globals.quiet) await print(context, changed.id);
    else await done(context, `updated ${changed.project_name}/${changed.name}`);
    return undefined;
  },
});
