import { computerParameters } from '../../../client/http/address.js';
import type { Computer } from '../../../contract/types/index.js';
import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { computerAddress, describeAddress } from '../../targets/computer-address.js';
import { computerArgument } from '../../targets/computers.js';
import { failOnError, untilReady, waitOptions, waitQuery } from '../../targets/wait-for-status.js';

export const command = defineCommand({
  name: 'fork',
  summary: 'Copy a computer, on QEMU including its memory',
  details: [
    'Creates a new computer in the same project. The copy of a running computer runs, that of a',
    'stopped one is stopped. On the engine qemu the copy of a running computer has its disk and',
    'memory, including open programs; on incus it has the disk, and starts anew. Computers on docker',
    'and podman cannot be copied. `vc get` shows the engine of a computer, and `vc create NAME',
    '--engine qemu` creates one that can be copied.',
  ].join(' '),
  arguments: { computer: computerArgument, name: argument('name', 'name of the copy', nonEmpty) },
  options: waitOptions,
  fields: fields.computer,
  examples: [
    {
      does: 'Copy a computer in its current state',
      command: 'vc fork demo/desktop attempt-2',
    },
    { does: 'Save the id of the copy', command: 'id=$(vc fork demo/desktop try -q)' },
  ],
  async run(context, { computer: given, name }, waiting) {
    const address = await computerAddress(context, given);
    const client = await context.client();
    context.whenInterrupted('the service may still create the copy; see: vc ls');
    const request = client.request('forkComputer', {
      params: computerParameters(address),
      query: waitQuery(waiting),
      body: { name },
      signal: context.interrupts.signal,
    });
    const progress = context.progress(`Copying ${describeAddress(address)}`);
    const copy = await during(
      progress,
      request.then((computer) => untilReady(context, computer as Computer, waiting)),
    );
    failOnError(copy, `${copy.project_name}/${name}`);
    const { id, project_name, status } = copy;
    if (context.globals.json) await printJson(context, copy);
    else if (context.globals.quiet) await print(context, id);
    else {
      const source = describeAddress(address);
      await done(context, `copied ${source} to ${project_name}/${name} (${id}), ${status}`);
    }
  },
});
