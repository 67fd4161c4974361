import { computerParameters } from '../../../client/http/address.js';
import { defineCommand, enumerate, many } from '../../framework/define.js';
import { computerAddress, describeAddress } from '../../targets/computer-address.js';
import { computerArgument } from '../../targets/computers.js';
import { forEach } from '../../targets/for-each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove', 'unpublish'],
  summary: 'End publications of a computer',
  details: 'Ends open connections as well. Publish the port again for a new address and link.',
  arguments: { computer: computerArgument, ports: many('port', 'published port of the computer') },
  options: {},
  examples: [{ does: 'End a publication', command: 'vc unpublish demo/desktop 8000' }],
  async run(context, { computer, ports: names }) {
    const address = await computerAddress(context, computer);
    const params = computerParameters(address);
    const client = await context.client();
    const { signal } = context.interrupts;
    const shown = describeAddress(address);
    return forEach(context, {
      names,
      doing: `Ending the publication of ${enumerate(names)}`,
      work: (port) => client.request('deletePublication', { params: { ...params, port }, signal }),
      did: (port) => `ended the publication of ${shown} port ${port}`,
    });
  },
});
