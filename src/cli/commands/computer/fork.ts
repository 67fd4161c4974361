import { computerParameters } from '../../../client/address.js';
import { computerAddress, describeAddress } from '../../address.js';
import { computerArgument } from '../../computers.js';
import { argument, defineCommand, flag } from '../../define.js';
import { done, note, print, printJson } from '../../output.js';
import { nonEmpty } from '../../parse.js';
import { during } from '../../progress.js';

export const command = defineCommand({
  name: 'fork',
  summary: 'Copy a computer, a running one with its memory',
  details: [
    'The copy is a computer of its own in the same project. Of a running computer it has the disk',
    'and the memory, programs and windows included, and it runs; of a stopped one it has the disk',
    'and is stopped. The engine qemu can do this.',
  ].join(' '),
  arguments: {
    computer: computerArgument,
    name: argument('name', 'the name of the copy', nonEmpty),
  },
  options: { wait: flag('--no-wait', 'do not wait until the copy is ready') },
  examples: [
    { does: 'Copy it as it now is', command: 'vc computer fork demo/desktop attempt-2' },
    { does: 'Keep the id of the copy', command: 'id=$(vc computer fork demo/desktop try -q)' },
  ],
  async run(context, { computer: given, name }, { wait }) {
    const address = await computerAddress(context, given);
    const client = await context.client();
    context.whenInterrupted('the service goes on copying; see: vc computer ls');
    const request = client.request('forkComputer', {
      params: computerParameters(address),
      query: wait ? undefined : { wait: '0' },
      body: { name },
      signal: context.interrupts.signal,
    });
    const progress = context.progress(`Copying ${describeAddress(address)}`);
    const copy = await during(progress, request);
    const { id, project_name, status } = copy;
    if (context.globals.json) await printJson(context, copy);
    else if (context.globals.quiet) await print(context, id);
    else if (status === 'error') {
      await note(context, `${project_name}/${name} failed: ${copy.status_reason ?? ''}`);
    } else {
      const source = describeAddress(address);
      await done(context, `copied ${source} to ${project_name}/${name} (${id}), ${status}`);
    }
    return undefined;
  },
});
