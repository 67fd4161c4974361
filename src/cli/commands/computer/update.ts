import { UsageError } from '../../errors/cli-error.js';
import { defineCommand, flag, list, value } from '../../framework/define.js';
import { idleTime } from '../../input/duration.js';
import { assignment, nonEmpty } from '../../input/parse.js';
import { setupOptions, variables } from '../../input/setup-files.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { computerArgument, onComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'update',
  summary: 'Change the settings of a computer',
  details: [
    'Also works while the computer is running. Only the given settings change. Commands have new',
    'variables at once, programs that are started from the desktop after its next start.',
  ].join(' '),
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
    env: list(
      '-e, --env <name=value>',
      'set an environment variable, or remove it with NAME-; repeatable',
      change,
    ),
    envFile: setupOptions.envFile,
  },
  fields: fields.computer,
  examples: [
    {
      does: 'Protect a computer from removal',
      command: 'vc computer update demo/desktop --protect',
    },
    {
      does: 'Set a variable and remove another',
      command: 'vc computer update demo/desktop --env API_URL=https://api.example.com --env OLD-',
    },
    { does: 'Disable auto-stop', command: 'vc computer update demo/desktop --auto-stop never' },
  ],
  async run(context, { computer }, { name, autoStop, protect, unprotect, ...given }) {
    if (protect && unprotect) throw new UsageError('--protect and --unprotect cannot be combined');
    const isEnv = given.env.length + given.envFile.length > 0;
    if (name === undefined && autoStop === undefined && !protect && !unprotect && !isEnv) {
      throw new UsageError('no changes given');
    }
    const changed = await onComputer(context, 'updateComputer', computer, {
      ...(name === undefined ? {} : { name }),
      ...(autoStop === undefined ? {} : { auto_stop_minutes: autoStop }),
      ...(protect || unprotect ? { protected: protect } : {}),
      ...(isEnv
        ? {
            env: {
              ...(await variables(context, { ...given, env: [] })),
              ...Object.fromEntries(given.env),
            },
          }
        : {}),
    });
    if (context.globals.json) await printJson(context, changed);
    else if (context.globals.quiet) await print(context, changed.id);
    else await done(context, `updated ${changed.project_name}/${changed.name}`);
  },
});

/** `NAME=VALUE`, or `NAME-` to remove it. */
function change(text: string): readonly [string, string | null] {
  const removed = /^([A-Za-z_][A-Za-z0-9_]*)-$/.exec(text)?.[1];
  return removed === undefined ? assignment(text) : [removed, null];
}
