import type { Image } from '../../../contract/resources.js';
import { engineNamed } from '../../../engines/select.js';
import { listStoredImages } from '../../../engines/stored-images.js';
import { stateDirectory } from '../../../profile/index.js';
import { notFound, UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { choice, defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { ENGINE_NAMES } from '../../input/engine-choice.js';
import { size } from '../../output/size.js';
import { isLoopbackUrl } from '../../serve/listen.js';
import { request } from '../../targets/client.js';
import { forEach } from '../../targets/for-each.js';
import { localEngines } from '../../targets/local-engines.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove machine images and their templates',
  details: [
    'Your own images, and as an administrator shared ones, are removed from the service; others from this',
    'machine, which has to be its host. Such an image is not removed while computers need it. Virtual machines that were made from an image keep their disks and keep running. A container',
    'needs its image: that is not removed while such computers exist.',
  ].join(' '),
  arguments: { images: many('image', 'names; see: vc image ls', { completes: 'image' }) },
  options: {
    engine: choice('--engine <name>', 'engine to remove them from', ENGINE_NAMES),
    yes: flag('-y, --yes', 'do not ask for confirmation'),
    dryRun,
  },
  examples: [
    { does: 'Remove an imported disk; asks first', command: 'vc image rm lab' },
    { does: 'Show what would be removed', command: 'vc image rm linux --engine qemu --dry-run' },
  ],
  async run(context, { images: names }, { engine, yes, dryRun: isDry }) {
    const directory = stateDirectory(context.env);
    const own = await ownImages(context);
    const isOwn = (name: string) => own.some((image) => image.name === name);
    const { images: others } = names.every(isOwn)
      ? { images: [] }
      : await listStoredImages(await localEngines(directory));
    const images = [...own, ...others.filter(({ name }) => !isOwn(name))];
    // Resolve every name before the first image is removed.
    const found = new Map(names.map((name) => [name, find(images, name, engine)] as const));
    const what = enumerate([...found.values()].map(described), 'and');
    if (!isDry) {
      await confirmRemoval(await context.prompt(), { question: `Remove ${what}?`, yes });
    }
    return forEach(context, {
      names,
      doing: `${isDry ? 'Looking at' : 'Removing'} ${what}`,
      work: async (name) => {
        const image = found.get(name);
        if (isDry || image === undefined) return { success: true };
        const { signal } = context.interrupts;
        if (isSaved(image)) {
          const client = await context.client();
          await client.request('deleteImage', { params: { image: name }, signal });
        } else {
          await engineNamed(image.engine).images.remove(directory, name, signal);
        }
        return { success: true };
      },
      did: (name) => {
        const image = found.get(name);
        if (isDry && image !== undefined) return `would remove ${described(image)}`;
        return `removed the image ${name} for ${image?.engine}`;
      },
    });
  },
});

/** An image of the service, not of this machine. */
const isSaved = ({ kind }: Image) => kind === 'saved' || kind === 'shared';

/** The saved and shared images that their names mean; none where no service answers. */
async function ownImages(context: Context): Promise<readonly Image[]> {
  const { baseUrl, apiKey } = await context.settings();
  const isHere = isLoopbackUrl(baseUrl.value);
  if (isHere && apiKey === undefined) return [];
  try {
    const { images } = await request(context, 'listImages');
    const saved = images.filter(isSaved);
    // An own one comes before a shared one of its name.
    return saved.filter((image) => image === saved.find(({ name }) => name === image.name));
  } catch (error) {
    if (isHere) return [];
    throw error;
  }
}

/** The one image of that name, of that engine if one is given. */
function find(images: readonly Image[], name: string, engine: string | undefined): Image {
  const named = images.filter((image) => image.name === name && image.kind !== 'template');
  const found = named.filter((image) => engine === undefined || image.engine === engine);
  const [image, other] = found;
  if (image === undefined) {
    const where = engine === undefined ? '' : ` for ${engine}`;
    throw notFound(
      `there is no image ${JSON.stringify(name)}${where}`,
      'list the images with: vc image ls',
    );
  }
  if (other !== undefined) {
    const engines = found.map((each) => each.engine).join(' and ');
    throw new UsageError(`there is an image ${name} for ${engines}`, 'choose one with --engine');
  }
  return image;
}

function described({ name, engine, kind, bytes }: Image): string {
  return `the image ${name} for ${engine} (${kind}, ${size(bytes)})`;
}
