import { argument, choice, defineCommand, value } from '../../define.js';
import { fields } from '../../fields.js';
import { here, needUsable } from '../../images/stored.js';
import { localQemu } from '../../local-engines.js';
import { done, print, printJson } from '../../output.js';
import { nonEmpty, resolution } from '../../parse.js';
import { showSteps } from '../../steps.js';

export const command = defineCommand({
  name: 'warm',
  summary: 'Keep an image booted, so that computers start at once',
  details: [
    'For the engine qemu. It boots a computer of the shape once, which takes up to a minute where',
    'machines are emulated, and saves it; later ones go on from there in about a second. The',
    'service does the same by itself after the first computer of a shape.',
  ].join(' '),
  arguments: { image: argument('image', 'its name: linux', nonEmpty) },
  options: {
    ram: choice('--ram <gb>', 'memory in GB', ['2', '4', '8'], { otherwise: '2' }),
    cpu: choice('--cpu <cores>', 'cores', ['2', '4', '8'], { otherwise: '2' }),
    resolution: value('--resolution <size>', 'size of the screen in pixels', resolution, {
      otherwise: '1280x800',
    }),
  },
  fields: fields.template,
  examples: [
    { does: 'For computers as they are made by default', command: 'vc image warm linux' },
    { does: 'For larger ones', command: 'vc image warm linux --ram 8 --cpu 4' },
  ],
  async run(context, { image }, options) {
    const { signal } = context.interrupts;
    const engine = await localQemu(here(context));
    await needUsable(engine, 'nothing can be booted', signal);
    const shape = {
      image,
      ram: Number(options.ram ?? 2),
      cpu: Number(options.cpu ?? 2),
      resolution: options.resolution ?? { width: 1280, height: 800 },
    };
    const before = new Set((await engine.templates()).map(({ key }) => key));
    const steps = showSteps(context, `Warming ${image}`);
    context.whenInterrupted('nothing goes on; what was booted is ended');
    try {
      const key = await engine.warm(shape, { onProgress: steps.step, signal });
      const seconds = steps.stop();
      const isNew = !before.has(key);
      if (context.globals.json) await printJson(context, { key, ...shape, is_new: isNew });
      else if (context.globals.quiet) await print(context, key);
      else if (isNew) await done(context, `the image ${image} is warm: ${seconds} s`);
      else await done(context, `the image ${image} is warm already`);
    } finally {
      steps.stop();
      await engine.close();
    }
    return undefined;
  },
});
