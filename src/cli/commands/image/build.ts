import { buildLocalImage } from '../../build-image.js';
import { argument, choice, defineCommand, flag } from '../../define.js';
import { nonEmpty } from '../../parse.js';

export const command = defineCommand({
  name: 'build',
  summary: 'Build a machine image on this machine',
  details: [
    'mmdebstrap builds the file system here and needs no registry; dockerfile lets the Docker Engine',
    'build it from a Debian image that it can pull. What was built is kept and used again.',
  ].join(' '),
  arguments: { image: argument('image', 'its name: linux', nonEmpty, { choices: ['linux'] }) },
  options: {
    engine: choice('--engine <name>', 'engine that it is for', ['docker'], { otherwise: 'docker' }),
    method: choice('--method <name>', 'how it is built', ['mmdebstrap', 'dockerfile'], {
      otherwise: 'mmdebstrap',
    }),
    ifMissing: flag('--if-missing', 'do nothing when it is there and up to date'),
  },
  examples: [
    { does: 'Build the Linux desktop', command: 'vc image build linux' },
    { does: 'Only if need be', command: 'vc image build linux --if-missing' },
  ],
  run: (context, { image }, { method, ifMissing }) =>
    buildLocalImage(context, { name: image, method: method ?? 'mmdebstrap', ifMissing }),
});
