import { confirmLoss } from '../../confirm-loss.js';
import { choice, defineCommand, dryRun, enumerate, flag, many } from '../../define.js';
import { forEach } from '../../each.js';
import { ENGINE_NAMES } from '../../engine-choice.js';
import { CliError, UsageError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';
import { type Listed, listStored } from '../../images/list.js';
import { removeStored } from '../../images/remove.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove machine images and their templates',
  details: [
    'Virtual machines that were made from one keep their disks and go on. An image of a Docker',
    'Engine stays as long as there are computers of it.',
  ].join(' '),
  arguments: { images: many('image', 'names; see: vc image ls') },
  options: {
    engine: choice('--engine <name>', 'engine to remove them from', ENGINE_NAMES),
    yes: flag('-y, --yes', 'do not ask'),
    dryRun,
  },
  examples: [
    { does: 'Remove an imported disk; asks first', command: 'vc image rm lab' },
    { does: 'See what would go', command: 'vc image rm linux --engine qemu --dry-run' },
  ],
  async run(context, { images: names }, { engine, yes, dryRun: isDry }) {
    const { listed } = await listStored(context);
    // Every name has to be understood before the first is removed.
    const found = new Map(names.map((name) => [name, find(listed, name, engine)] as const));
    const what = enumerate([...found.values()].map(described)).replace(
      / or (?=the image )/,
      ' and ',
    );
    if (!isDry) {
      await confirmLoss(await context.prompt(), { question: `Remove ${what}?`, yes });
    }
    return forEach(context, {
      names,
      doing: `${isDry ? 'Looking at' : 'Removing'} ${what}`,
      work: async (name) => {
        const image = found.get(name);
        if (!isDry && image !== undefined) await removeStored(context, image);
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

/** The one image of that name, of that engine if one is given. */
function find(listed: readonly Listed[], name: string, engine: string | undefined): Listed {
  const named = listed.filter((image) => image.name === name && image.kind !== 'template');
  const found = named.filter((image) => engine === undefined || image.engine === engine);
  const [image, other] = found;
  if (image === undefined) {
    const where = engine === undefined ? '' : ` for ${engine}`;
    throw new CliError(`there is no image ${JSON.stringify(name)}${where}`, {
      hint: 'see what there is with: vc image ls',
      exitCode: ExitCode.notFound,
      code: 'not_found',
    });
  }
  if (other !== undefined) {
    const engines = found.map((each) => each.engine).join(' and ');
    throw new UsageError(`${name} is there for ${engines}`, 'say which with --engine');
  }
  return image;
}

function described({ name, engine, kind, bytes }: Listed): string {
  return `the image ${name} for ${engine} (${kind}, ${Math.round(bytes / 1e6)} MB)`;
}
