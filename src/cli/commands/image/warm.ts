import { CPU_COUNTS, RAM_SIZES } from '../../../contract/constants.js';
import { engineNamed } from '../../../engines/select.js';
import { stateDirectory } from '../../../profile/index.js';
import { UsageError } from '../../errors/cli-error.js';
import { argument, choice, defineCommand, enumerate, value } from '../../framework/define.js';
import { needUsable } from '../../images/stored.js';
import { enginesWith } from '../../input/engine-choice.js';
import { asTexts, nonEmpty, resolution } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { showSteps } from '../../output/steps.js';

const WARMING = enginesWith('warm');

export const command = defineCommand({
  name: 'warm',
  summary: 'Boot an image once, so that computers start faster',
  details: [
    `For the engine ${enumerate(WARMING)}. It boots a computer of the shape once, which takes up to`,
    'a minute where machines are emulated, and saves it as a template; later ones resume from it in',
    'about a second. The service does the same after the first computer of a shape.',
  ].join(' '),
  arguments: { image: argument('image', 'its name: linux', nonEmpty, { completes: 'image' }) },
  options: {
    engine: choice('--engine <name>', 'engine to warm it for', WARMING, {
      otherwise: WARMING[0] ?? '',
    }),
    ram: choice('--ram <gb>', 'memory in GB', asTexts(RAM_SIZES), { otherwise: '2' }),
    cpu: choice('--cpu <cores>', 'cores', asTexts(CPU_COUNTS), { otherwise: '2' }),
    resolution: value('--resolution <size>', 'size of the screen in pixels', resolution, {
      otherwise: '1280x800',
    }),
  },
  fields: fields.template,
  examples: [
    { does: 'For computers of the default shape', command: 'vc image warm linux' },
    { does: 'For larger ones', command: 'vc image warm linux --ram 8 --cpu 4' },
  ],
  async run(context, { image }, options) {
    const { signal } = context.interrupts;
    const directory = stateDirectory(context.env);
    const { images, open, name } = engineNamed(options.engine ?? WARMING[0] ?? '');
    if (images.warm === undefined) throw new UsageError(`${name} keeps no templates`);
    await needUsable(await open(directory), 'no machine can be booted', signal);
    const shape = {
      image,
      ram: Number(options.ram ?? 2),
      cpu: Number(options.cpu ?? 2),
      resolution: options.resolution ?? { width: 1280, height: 800 },
    };
    const steps = showSteps(context, `Warming ${image}`);
    context.whenInterrupted('the machine that was booted is stopped');
    try {
      const work = { onProgress: steps.step, signal };
      const { key, isNew } = await images.warm(directory, shape, work);
      const seconds = steps.stop();
      if (context.globals.json) await printJson(context, { key, ...shape, is_new: isNew });
      else if (context.globals.quiet) await print(context, key);
      else if (isNew) await done(context, `the image ${image} is warm: ${seconds} s`);
      else await done(context, `the image ${image} is already warm`);
    } finally {
      steps.stop();
    }
  },
});
