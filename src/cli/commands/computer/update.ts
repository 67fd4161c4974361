import { CPU_COUNTS, ON_IDLE, RAM_SIZES } from '../../../contract/constants.js';
import type { Answer } from '../../../contract/types/index.js';
import { UsageError } from '../../errors/cli-error.js';
import { choice, defineCommand, enumerate, flag, list, value } from '../../framework/define.js';
import { idleTime, lifeTime } from '../../input/duration.js';
import { labelChange } from '../../input/labels.js';
import { networkOption } from '../../input/network.js';
import {
  assignment,
  asTexts,
  inGigabytes,
  nonEmpty,
  resolution,
  sizeOf,
} from '../../input/parse.js';
import { setupOptions, variables } from '../../input/setup-files.js';
import { fields } from '../../output/fields.js';
import { done, print } from '../../output/print.js';
import { computersArgument, onComputer } from '../../targets/computers.js';
import { forEach } from '../../targets/for-each.js';
import { pendingNote } from '../../targets/pending.js';

export const command = defineCommand({
  name: 'update',
  summary: 'Change the name, size, labels or settings of computers',
  details: [
    'Also works while they run. Only the given settings change. Commands have new',
    'variables at once, programs that are started from the desktop after its next start. --network is in',
    'force at once, also for open connections. What changes at the next start only, such as the memory of',
    'a virtual machine, is printed.',
  ].join(' '),
  arguments: { computers: computersArgument('any') },
  options: {
    name: value('--name <name>', 'new name', nonEmpty),
    cpu: choice('--cpu <cores>', 'CPU cores', asTexts(CPU_COUNTS)),
    ram: choice('--ram <gb>', 'memory in GB', asTexts(RAM_SIZES), {
      also: inGigabytes(RAM_SIZES),
    }),
    resolution: value('--resolution <size>', 'screen size in pixels', resolution),
    autoStop: value(
      '--auto-stop <duration>',
      'stop after this time without a request, or never; a bare number is minutes',
      idleTime,
    ),
    onIdle: choice('--on-idle <action>', 'what --auto-stop does', ON_IDLE),
    expires: value(
      '--expires <duration>',
      'delete it after this time from now, or never',
      lifeTime,
    ),
    label: list('--label <name=value>', 'label, or NAME- to remove it; repeatable', labelChange),
    protect: flag('--protect', 'protect it from removal'),
    unprotect: flag('--unprotect', 'allow removal'),
    env: list(
      '-e, --env <name=value>',
      'set an environment variable, or remove it with NAME-; repeatable',
      change,
    ),
    envFile: setupOptions.envFile,
    network: networkOption(),
  },
  fields: fields.computer,
  examples: [
    {
      does: 'Give it more processors, more memory and a larger screen',
      command: 'vc computer update demo/desktop --cpu 4 --ram 4 --resolution 1920x1080',
    },
    {
      does: 'Protect a computer from removal',
      command: 'vc computer update demo/desktop --protect',
    },
    {
      does: 'Set a label and remove another',
      command: 'vc computer update demo/desktop --label team=qa --label stage-',
    },
    {
      does: 'Label several',
      command: 'vc computer update -p demo desktop agent --label team=qa',
    },
    {
      does: 'Set a variable and remove another',
      command: 'vc computer update demo/desktop --env API_URL=https://api.example.com --env OLD-',
    },
    { does: 'Keep it longer', command: 'vc computer update demo/desktop --expires 12h' },
    {
      does: 'Cut it off from every network',
      command: 'vc computer update demo/desktop --network none',
    },
    { does: 'Disable auto-stop', command: 'vc computer update demo/desktop --auto-stop never' },
  ],
  async run(context, { computers: names }, options) {
    const { name, autoStop, onIdle, expires, label, protect, unprotect, ...others } = options;
    const { cpu, ram, resolution, network, ...given } = others;
    if (protect && unprotect) throw new UsageError('--protect and --unprotect cannot be combined');
    const env = {
      ...(await variables(context, { ...given, env: [] })),
      ...Object.fromEntries(given.env),
    };
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(cpu === undefined ? {} : { cpu: sizeOf(cpu) }),
      ...(ram === undefined ? {} : { ram: sizeOf(ram) }),
      ...(resolution === undefined ? {} : { resolution }),
      ...(autoStop === undefined ? {} : { auto_stop_minutes: autoStop }),
      ...(onIdle === undefined ? {} : { on_idle: onIdle }),
      ...(expires === undefined ? {} : { expires_at: timeAfter(context.now(), expires) }),
      ...(label.length === 0 ? {} : { labels: Object.fromEntries(label) }),
      ...(protect || unprotect ? { protected: protect } : {}),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(network === undefined ? {} : { network }),
    };
    if (Object.keys(changes).length === 0) throw new UsageError('no changes given');
    if (name !== undefined && names.length > 1) {
      throw new UsageError('--name is for one computer, and these are several');
    }
    return forEach(context, {
      names,
      doing: `Updating ${enumerate(names)}`,
      work: (computer) => onComputer(context, 'updateComputer', computer, changes),
      did,
      show: async (computer, changed) => {
        if (context.globals.quiet) return print(context, changed.id);
        await done(context, did(computer, changed));
        const note = pendingNote(changed);
        if (note !== undefined) await print(context, note);
      },
    });
  },
});

function did(_: string, { project_name, name }: Answer<'updateComputer'>): string {
  return `updated ${project_name}/${name}`;
}

function timeAfter(now: Date, seconds: number | null): string | null {
  return seconds === null ? null : new Date(now.getTime() + seconds * 1000).toISOString();
}

/** `NAME=VALUE`, or `NAME-` to remove it. */
function change(text: string): readonly [string, string | null] {
  const removed = /^([A-Za-z_][A-Za-z0-9_]*)-$/.exec(text)?.[1];
  return removed === undefined ? assignment(text) : [removed, null];
}
