import { computerAddress, inCommands, isComputerId } from '../../address.js';
import { argument, choice, defineCommand, flag, value } from '../../define.js';
import { UsageError } from '../../errors.js';
import { fields } from '../../fields.js';
import { done, note, print, printJson } from '../../output.js';
import { nonEmpty, number, resolution, text } from '../../parse.js';
import { during } from '../../progress.js';
import { untilReady, waiting, waitQuery } from '../../states.js';

const minutes = number({ min: 1, max: 525_600, unit: 'minutes' });

export const command = defineCommand({
  name: 'create',
  summary: 'Create a computer and start it',
  details: 'Waits until its screen is painted and a command can run in it.',
  arguments: { computer: argument('computer', 'PROJECT/NAME, or a name with -p', text) },
  options: {
    os: choice('--os <name>', 'operating system', ['linux', 'windows'], { otherwise: 'linux' }),
    cpu: choice('--cpu <cores>', 'cores', ['2', '4', '8'], { otherwise: '2' }),
    ram: choice('--ram <gb>', 'memory in GB', ['2', '4', '8'], { otherwise: '2' }),
    gpu: choice('--gpu <name>', 'GPU', ['none', 'T4', 'A10'], { otherwise: 'none' }),
    resolution: value('--resolution <size>', 'size of the screen in pixels', resolution, {
      otherwise: '1280x800',
    }),
    image: value('--image <name>', 'machine image; see: vc image ls', nonEmpty),
    engine: value('--engine <name>', 'engine that runs it', nonEmpty),
    autoStop: value('--auto-stop <minutes>', 'stop it after so long without a request', minutes),
    protect: flag('--protect', 'keep it from being removed'),
    ...waiting,
  },
  fields: fields.computer,
  examples: [
    { does: 'Make a computer in the project demo', command: 'vc computer create demo/desktop' },
    {
      does: 'A larger one that stops when it has been idle for an hour',
      command: 'vc computer create demo/big --cpu 4 --ram 8 --auto-stop 60',
    },
    { does: 'Keep its id', command: 'id=$(vc computer create demo/agent -q)' },
  ],
  async run(context, { computer: given }, options) {
    const address = await computerAddress(context, given);
    if ('id' in address || isComputerId(address.name)) {
      throw new UsageError('a name must not look like an id', 'choose another name');
    }
    const { project, name } = address;
    const { globals, interrupts } = context;
    const { cpu, ram, autoStop, protect, wait, timeout, ...body } = options;
    context.whenInterrupted(
      `the service goes on creating it; see: vc computer get ${inCommands(context, given)}`,
    );
    const client = await context.client();
    const request = client.request('createComputer', {
      params: { project },
      query: waitQuery({ wait, timeout }),
      body: {
        name,
        ...body,
        cpu: size(cpu),
        ram: size(ram),
        auto_stop_minutes: autoStop,
        protected: protect,
      },
      signal: interrupts.signal,
    });
    const created = await during(
      context.progress(`Creating ${project}/${name}`),
      request.then((computer) => untilReady(context, computer, { wait, timeout })),
    );
    if (globals.json) await printJson(context, created);
    else if (globals.quiet) await print(context, created.id);
    else if (created.status === 'error') {
      await note(
        context,
        `created ${project}/${name}, which failed: ${created.status_reason ?? ''}`,
      );
    } else {
      await done(context, `created ${project}/${name} (${created.id}), ${created.status}`);
      await note(context, `see it: vc computer screenshot ${inCommands(context, given)}`);
    }
    return undefined;
  },
});

function size(text: '2' | '4' | '8' | undefined): 2 | 4 | 8 | undefined {
  return text === undefined ? undefined : ({ 2: 2, 4: 4, 8: 8 } as const)[text];
}
