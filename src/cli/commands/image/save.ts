import { computerParameters } from '../../../client/http/address.js';
import { argument, defineCommand, flag } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { size } from '../../output/size.js';
import { computerSource, describeSource, sourceArgument } from '../../targets/computer-source.js';

export const command = defineCommand({
  name: 'save',
  summary: 'Save a computer or a snapshot as an image',
  details: [
    'Saves the disk, without memory. Your image of that name is replaced; computers that were made from',
    'it stay as they are. Other owners do not see it, except with --shared. To use it: vc create NAME',
    '--image IMAGE.',
  ].join(' '),
  arguments: {
    computer: sourceArgument,
    name: argument('name', 'name of the image: a-z, 0-9, ".", "_", "-"', nonEmpty),
  },
  options: { shared: flag('--shared', 'an image for all owners; for administrators') },
  fields: fields.image,
  examples: [
    { does: 'Save a computer as an image', command: 'vc image save demo/desktop browser-ready' },
    { does: 'Save a snapshot as an image', command: 'vc image save demo/desktop@clean clean' },
    { does: 'Save it for all owners', command: 'vc image save demo/desktop base --shared' },
  ],
  async run(context, { computer: given, name }, { shared }) {
    const source = await computerSource(context, given);
    const { address, snapshot } = source;
    const client = await context.client();
    const { signal } = context.interrupts;
    const save = async () => {
      const computer = await client.request('getComputer', {
        ...{ params: computerParameters(address), signal },
      });
      const body = {
        ...{ name, computer: computer.id },
        ...(snapshot !== undefined && { snapshot }),
        ...(shared && { shared }),
      };
      return client.request('saveImage', { body, signal });
    };
    const image = await during(context.progress(`Saving ${describeSource(source)}`), save());
    const { status: state, ...rest } = image;
    // As vc image ls prints it.
    if (context.globals.json) return void (await printJson(context, { ...rest, state }));
    if (context.globals.quiet) return void (await print(context, image.name));
    await done(
      context,
      `saved ${describeSource(source)} as the image ${name} (${size(image.bytes)})`,
    );
  },
});
