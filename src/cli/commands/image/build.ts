import { engines } from '../../../engines/index.js';
import { argument, choice, defineCommand, flag } from '../../framework/define.js';
import { buildLocalImage } from '../../images/build.js';
import { DEFAULT_ENGINE, ENGINE_CHOICES, engineChoice } from '../../input/engine-choice.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';

const BUILD_METHODS = [...new Set(engines.flatMap(({ images }) => images.methods))];

export const command = defineCommand({
  name: 'build',
  summary: 'Build a machine image on this machine',
  details: [
    'The method mmdebstrap builds the file system here and needs no registry; dockerfile lets a',
    'Docker Engine build it from a Debian image that it pulls. Built files are cached. windows is a',
    'desktop that runs Windows programs on Wine; its image is called wine.',
  ].join(' '),
  arguments: {
    image: argument('image', 'its name: linux or windows', nonEmpty, {
      choices: ['linux', 'windows'],
    }),
  },
  options: {
    engine: choice('--engine <name>', 'engine to build it for', ENGINE_CHOICES, {
      otherwise: DEFAULT_ENGINE,
    }),
    method: choice('--method <name>', 'how it is built', BUILD_METHODS, {
      otherwise: "the engine's default",
    }),
    ifMissing: flag('--if-missing', 'do nothing if it is up to date'),
  },
  fields: fields.storedImage,
  examples: [
    { does: 'Build the Linux desktop', command: 'vc image build linux' },
    { does: 'For virtual machines', command: 'vc image build linux --engine qemu' },
    { does: 'Build the desktop for Windows programs', command: 'vc image build windows' },
    { does: 'Only if it is missing or out of date', command: 'vc image build linux --if-missing' },
  ],
  run: (context, { image }, { engine, method, ifMissing }) =>
    buildLocalImage(context, {
      name: image,
      engine: engineChoice(engine, context.env),
      method,
      ifMissing,
    }),
});
