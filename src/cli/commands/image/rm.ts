import { confirmLoss } from '../../confirm-loss.js';
import { argument, choice, defineCommand, flag } from '../../define.js';
import { ENGINE_NAMES } from '../../engine-choice.js';
import { CliError, UsageError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';
import { listStored } from '../../images/list.js';
import { removeStored } from '../../images/remove.js';
import { done, printJson } from '../../output.js';
import { nonEmpty } from '../../parse.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove a machine image and its templates from this machine',
  details: [
    'Virtual machines that were made from it keep their disks and go on. An image of a Docker Engine',
    'stays as long as there are computers of it.',
  ].join(' '),
  arguments: { image: argument('image', 'its name; see: vc image ls', nonEmpty) },
  options: {
    engine: choice('--engine <name>', 'engine to remove it from', ENGINE_NAMES),
    yes: flag('-y, --yes', 'do not ask'),
  },
  examples: [{ does: 'Remove an imported disk', command: 'vc image rm lab' }],
  async run(context, { image: name }, { engine, yes }) {
    const { listed } = await listStored(context);
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
    const size = `${Math.round(image.bytes / 1e6)} MB`;
    const question = `Remove the image ${name} for ${image.engine} (${image.kind}, ${size})?`;
    await confirmLoss(await context.prompt(), { question, yes });
    await removeStored(context, image);
    if (context.globals.json) await printJson(context, { success: true });
    else await done(context, `removed the image ${name} for ${image.engine}`);
    return undefined;
  },
});
