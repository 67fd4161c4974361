import { argument, choice, defineCommand, flag } from '../../define.js';
import { ENGINE_CHOICES, engineChoice } from '../../engine-choice.js';
import { fields } from '../../fields.js';
import { buildLocalImage } from '../../images/build.js';
import { nonEmpty } from '../../parse.js';

export const command = defineCommand({
  name: 'build',
  summary: 'Build a machine image on this machine',
  details: [
    'For Docker it becomes an image of the Engine, for QEMU a disk in the state directory. mmdebstrap',
    'builds the file system here and needs no registry; dockerfile lets the Docker Engine build it',
    'from a Debian image that it can pull. What was built is kept and used again. windows is a',
    'desktop that runs Windows programs by Wine; the image is called wine.',
  ].join(' '),
  arguments: {
    image: argument('image', 'its name: linux or windows', nonEmpty, {
      choices: ['linux', 'windows'],
    }),
  },
  options: {
    engine: choice('--engine <name>', 'engine that it is for', ENGINE_CHOICES, {
      otherwise: 'VC_ENGINE or auto: Docker where an Engine answers, else QEMU',
    }),
    method: choice('--method <name>', 'how it is built', ['mmdebstrap', 'dockerfile'], {
      otherwise: 'mmdebstrap',
    }),
    ifMissing: flag('--if-missing', 'do nothing when it is there and up to date'),
  },
  fields: fields.storedImage,
  examples: [
    { does: 'Build the Linux desktop', command: 'vc image build linux' },
    { does: 'For virtual machines', command: 'vc image build linux --engine qemu' },
    { does: 'Build the desktop for Windows programs', command: 'vc image build windows' },
    { does: 'Only if need be', command: 'vc image build linux --if-missing' },
  ],
  run: (context, { image }, { engine, method, ifMissing }) =>
    buildLocalImage(context, {
      name: image,
      engine: engineChoice(engine, context.env),
      method: method ?? 'mmdebstrap',
      ifMissing,
    }),
});
