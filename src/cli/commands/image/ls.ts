import { ServiceUnreachableError } from '../../../client/errors.js';
import type { Image, ImageList } from '../../../contract/resources.js';
import type { Context } from '../../framework/context.js';
import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { note } from '../../output/print.js';
import { size } from '../../output/size.js';
import type { Column } from '../../output/table.js';
import { serviceHealth } from '../../serve/health.js';
import { isLoopbackUrl } from '../../serve/listen.js';
import { isNotFound, request } from '../../targets/client.js';

const columns: readonly Column<Image>[] = [
  { header: 'NAME', value: shownName, shrinks: true },
  { header: 'ENGINE', value: ({ engine }) => engine },
  { header: 'OS', spare: 3, value: ({ os }) => os },
  { header: 'KIND', spare: 1, value: ({ kind }) => kind },
  { header: 'SIZE', value: ({ bytes }) => size(bytes) },
  { header: 'USED BY', wide: true, value: ({ used_by }) => String(used_by ?? '') },
  { header: 'CREATED', spare: 2, value: ({ created_at }) => created_at, isTime: true },
  {
    header: 'STATE',
    value: ({ status }) => status,
    color: (text, chalk) => (text === 'stale' ? chalk.yellow(text) : text),
  },
];

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List machine images',
  details: [
    'Lists your own images (saved), those that administrators have made for all owners (shared), and those',
    'of the service, or of this machine where no service runs: images built from a recipe, imported disks,',
    'and templates, which are booted machines to start others of their shape from. A stale one was made from a recipe or an image that has changed',
    'since. The size of a saved one is without what it shares with its image and older snapshots.',
  ].join(' '),
  arguments: {},
  options: { output: tableFormat },
  fields: fields.image,
  examples: [
    { does: 'List the images', command: 'vc image ls' },
    { does: 'Their names and sizes, for a program', command: 'vc image ls --json=name,bytes' },
  ],
  async run(context) {
    const { images, failures } = await listImages(context);
    if (images.length === 0) {
      for (const { engine, reason } of failures) await note(context, `${engine}: ${reason}`);
    }
    await printList(context, {
      document: { images: images.map(document) },
      rows: images,
      columns,
      id: ({ name }) => name,
      empty: 'no images yet; build one with: vc image build linux',
    });
  },
});

/** Templates of one image differ by their shape: `linux (2 cores, 2 GB, 1280x800)`. */
function shownName({ name, cpu, ram, resolution }: Image): string {
  if (resolution === null) return name;
  return `${name} (${cpu} cores, ${ram} GB, ${resolution.width}x${resolution.height})`;
}

/** The status has the name `state` in what the command prints. */
function document({ status, ...image }: Image) {
  return { ...image, state: status };
}

/** The images of the service; of this machine's engines where no service runs on it. */
export async function listImages(context: Context): Promise<ImageList> {
  const { signal } = context.interrupts;
  const { baseUrl, apiKey, ca } = await context.settings();
  const isHere = isLoopbackUrl(baseUrl.value);
  // Loaded only then: it has the engines.
  const local = async () => (await import('../../images/local.js')).listLocalImages(context);
  if (isHere && apiKey === undefined) return local();
  return request(context, 'listImages').catch(async (error: unknown) => {
    const isAway = async () =>
      error instanceof ServiceUnreachableError ||
      // Another program answers there.
      (isNotFound(error) && (await serviceHealth(baseUrl.value, signal, { ca })) === undefined);
    if (isHere && (await isAway())) return local();
    throw error;
  });
}
