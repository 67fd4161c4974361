import { ServiceError } from '../../../client/errors.js';
import {
  CPU_COUNTS,
  GPUS,
  ON_IDLE,
  OPERATING_SYSTEMS,
  RAM_SIZES,
} from '../../../contract/constants.js';
import type { Context } from '../../framework/context.js';
import { argument, choice, defineCommand, flag, list, value } from '../../framework/define.js';
import { idleTime, lifeTime } from '../../input/duration.js';
import { newLabel } from '../../input/labels.js';
import { networkOption } from '../../input/network.js';
import { asTexts, inGigabytes, nonEmpty, resolution, sizeOf, text } from '../../input/parse.js';
import { setupFields, setupOptions } from '../../input/setup-files.js';
import { fields } from '../../output/fields.js';
import { done, note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { isNotFound, request } from '../../targets/client.js';
import { inCommands, newComputerAddress } from '../../targets/computer-address.js';
import { DEFAULT_PROJECT } from '../../targets/lookup/default-project.js';
import {
  failOnError,
  SETUP_SECONDS,
  untilReady,
  waitOptions,
  waitQuery,
} from '../../targets/wait-for-status.js';

export const command = defineCommand({
  name: 'create',
  summary: 'Create a computer and start it',
  details: [
    'Waits until the desktop is shown and commands can run, and the script of --setup has ended, which',
    'may take 30 minutes: its output is the job `setup`. A name without a project is in the one of',
    '-p, VC_PROJECT or `vc project use`, else in the project `default`, which is created if missing.',
  ].join(' '),
  arguments: { computer: argument('computer', 'name or PROJECT/NAME', text) },
  options: {
    os: choice('--os <name>', 'operating system', OPERATING_SYSTEMS, { otherwise: 'linux' }),
    cpu: choice('--cpu <cores>', 'CPU cores', asTexts(CPU_COUNTS), { otherwise: '2' }),
    ram: choice('--ram <gb>', 'memory in GB', asTexts(RAM_SIZES), {
      otherwise: '2',
      also: inGigabytes(RAM_SIZES),
    }),
    gpu: choice('--gpu <name>', 'GPU; T4 and A10 are coming soon', GPUS, { otherwise: 'none' }),
    resolution: value('--resolution <size>', 'screen size in pixels', resolution, {
      otherwise: '1280x800',
    }),
    image: value('--image <name>', 'machine image; see: vc image ls', nonEmpty, {
      completes: 'image',
    }),
    engine: value('--engine <name>', 'engine', nonEmpty, { completes: 'engine' }),
    member: value('--member <name>', 'member of the cluster; see: vc cluster ls', nonEmpty, {
      completes: 'member',
    }),
    group: value('--group <name>', 'group of members of the cluster', nonEmpty, {
      completes: 'member-group',
    }),
    autoStop: value(
      '--auto-stop <duration>',
      'stop after this time without a request, or never; a bare number is minutes',
      idleTime,
    ),
    onIdle: choice('--on-idle <action>', 'what --auto-stop does', ON_IDLE, { otherwise: 'stop' }),
    expires: value('--expires <duration>', 'delete it after this time, or never', lifeTime, {
      otherwise: 'never',
    }),
    label: list('--label <name=value>', 'label; repeatable', newLabel),
    protect: flag('--protect', 'protect it from removal'),
    ...setupOptions,
    timezone: value('--timezone <zone>', 'time zone, such as Europe/Berlin', nonEmpty),
    locale: value('--locale <locale>', 'locale, such as de_DE.UTF-8', nonEmpty),
    sudo: flag('--no-sudo', 'do not let its user become root'),
    network: networkOption('internet'),
    volume: list(
      '--volume <name:path>',
      'volume to mount; :ro to only read it; repeatable',
      nonEmpty,
      {
        completes: 'volume',
      },
    ),
    ...waitOptions,
  },
  fields: fields.computer,
  examples: [
    { does: 'Create a computer', command: 'vc create desktop' },
    { does: 'Create a computer in the project demo', command: 'vc create demo/desktop' },
    {
      does: 'Create a larger one that stops after an idle hour',
      command: 'vc create demo/big --cpu 4 --ram 8 --auto-stop 1h',
    },
    {
      does: 'Create one with labels that is deleted after two hours',
      command: 'vc create demo/check --label team=qa --label stage=test --expires 2h',
    },
    {
      does: 'Create one on a member of a cluster',
      command: 'vc create demo/near --member node1',
    },
    {
      does: 'Create one with variables, a file and a script that installs programs',
      command: 'vc create demo/qa --env-file .env --file app.json:/etc/app.json --setup setup.sh',
    },
    {
      does: 'Create one with German formats and time',
      command: 'vc create demo/de --locale de_DE.UTF-8 --timezone Europe/Berlin',
    },
    {
      does: 'Create one that reaches two sites and nothing else',
      command: 'vc create demo/agent2 --network allow=example.com,deb.debian.org:80',
    },
    {
      does: 'Create one with a slow network',
      command: 'vc create demo/slow --network internet,rate=1mbit',
    },
    {
      does: 'Create one with the volume data',
      command: 'vc create demo/worker --volume data:/data',
    },
    { does: 'Save the id of the new computer', command: 'id=$(vc create demo/agent -q)' },
  ],
  async run(context, { computer: given }, options) {
    const { project, name } = await newComputerAddress(context, given);
    const { globals, interrupts } = context;
    const { cpu, ram, autoStop, onIdle, expires, label, protect, wait, timeout, ...more } = options;
    const { env, envFile, file, setup, sudo, volume, ...body } = more;
    const setUp = await setupFields(context, { env, envFile, file, setup });
    context.whenInterrupted(
      `the service may still create it; see: vc get ${inCommands(context, given)}`,
    );
    const client = await context.client();
    const create = () =>
      client.request('createComputer', {
        params: { project },
        query: waitQuery({ wait, timeout }),
        body: {
          name,
          ...body,
          cpu: sizeOf(cpu),
          ram: sizeOf(ram),
          auto_stop_minutes: autoStop,
          on_idle: onIdle,
          expires_in: expires ?? undefined,
          ...(label.length === 0 ? {} : { labels: Object.fromEntries(label) }),
          protected: protect,
          ...setUp,
          ...(volume.length === 0 ? {} : { volumes: [...volume] }),
          ...(sudo ? {} : { sudo }),
        },
        signal: interrupts.signal,
      });
    const creating = create().catch(async (error: unknown) => {
      if (project !== DEFAULT_PROJECT || !isNotFound(error)) throw error;
      await createDefaultProject(context);
      return create();
    });
    const created = await during(
      context.progress(`Creating ${project}/${name}`),
      creating.then((computer) => {
        const longest = timeout ?? (setup === undefined ? undefined : SETUP_SECONDS);
        return untilReady(context, computer, { wait, timeout: longest });
      }),
    );
    // Also after a failure, so that a script can remove the computer.
    if (globals.quiet && !globals.json) await print(context, created.id);
    failOnError(created, `${project}/${name}`);
    if (globals.json) await printJson(context, created);
    else if (!globals.quiet) {
      await done(context, `created ${project}/${name} (${created.id}), ${created.status}`);
      await note(context, `to see its screen: vc screenshot ${inCommands(context, given)}`);
    }
  },
});

/** Creates the project `default`, unless another client has done so meanwhile. */
async function createDefaultProject(context: Context): Promise<void> {
  try {
    await request(context, 'createProject', { body: { name: DEFAULT_PROJECT } });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'name_taken') throw error;
  }
}
