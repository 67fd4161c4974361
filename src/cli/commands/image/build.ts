import { engines } from '../../../engines/index.js';
import { UsageError } from '../../errors/cli-error.js';
import { argument, choice, defineCommand, flag, list, value } from '../../framework/define.js';
import { buildLocalImage } from '../../images/build.js';
import { buildDirectory, isDirectory } from '../../images/build-directory.js';
import { DEFAULT_ENGINE, ENGINE_CHOICES, engineChoice } from '../../input/engine-choice.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';

/** Built on this machine, without a Dockerfile of one's own. */
const RECIPES: readonly string[] = ['linux', 'windows', 'wine'];
const BUILD_METHODS = [...new Set(engines.flatMap(({ images }) => images.methods))];

export const command = defineCommand({
  name: 'build',
  summary: 'Build an image from a Dockerfile or a recipe',
  details: [
    'A directory with a Dockerfile is built by the service, on this machine or another one, in',
    'computers of yours that exist as long as the build; FROM names an image of the service or of your',
    'own. linux and windows are recipes, which are built here.',

    'The method mmdebstrap builds the file system here and needs no registry; dockerfile lets a',
    'Docker Engine build it from a Debian image that it pulls. Built files are cached. windows is a',
    'desktop that runs Windows programs on Wine; its image is called wine.',
  ].join(' '),
  arguments: {
    source: argument('source', 'a directory with a Dockerfile, or linux or windows', nonEmpty, {
      completes: 'file',
    }),
  },
  options: {
    tag: value('-t, --tag <name>', 'name of the image of a directory', nonEmpty, {
      completes: 'image',
    }),
    file: value('-f, --file <path>', 'the Dockerfile', nonEmpty, {
      otherwise: 'DIRECTORY/Dockerfile',
      completes: 'file',
    }),
    buildArg: list('--build-arg <name=value>', 'value of an ARG; repeatable', nonEmpty),
    secret: list(
      '--secret <spec>',
      'for RUN --mount=type=secret: id=ID,src=FILE or id=ID,env=NAME; repeatable',
      nonEmpty,
    ),
    target: value('--target <stage>', 'stage to build', nonEmpty, { otherwise: 'the last one' }),
    cache: flag('--no-cache', 'carry out every step again'),
    shared: flag('--shared', 'an image of a directory for all owners; for administrators'),
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
    { does: 'Build ./mybox/Dockerfile', command: 'vc image build ./mybox -t mybox' },
    {
      does: 'Another Dockerfile, with a build argument',
      command: 'vc image build . -f Dockerfile.qa -t qa --build-arg VERSION=2',
    },
    { does: 'Build the Linux desktop', command: 'vc image build linux' },
    { does: 'For virtual machines', command: 'vc image build linux --engine qemu' },
    { does: 'Build the desktop for Windows programs', command: 'vc image build windows' },
    { does: 'Only if it is missing or out of date', command: 'vc image build linux --if-missing' },
  ],
  async run(context, { source }, options) {
    const { tag, engine, method, ifMissing } = options;
    const isRecipe = tag === undefined && RECIPES.includes(source);
    if (!isRecipe && (tag !== undefined || (await isDirectory(context, source)))) {
      if (tag === undefined) {
        throw new UsageError('the image needs a name', `vc image build ${source} -t NAME`);
      }
      if (method !== undefined || ifMissing) {
        throw new UsageError('--method and --if-missing are for recipes only');
      }
      const { file, buildArg: args, secret: secrets, target, cache, shared } = options;
      const chosen = engine === 'auto' ? undefined : engine;
      const how = { args, secrets, target, cache, shared, engine: chosen };
      return buildDirectory(context, { directory: source, tag, file, ...how });
    }
    return buildLocalImage(context, {
      name: source,
      engine: engineChoice(engine, context.env),
      method,
      ifMissing,
    });
  },
});
