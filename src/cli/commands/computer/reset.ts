import { computerParameters } from '../../../client/http/address.js';
import { shellWord } from '../../../lib/text/shell-word.js';
import { defineCommand, optional } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { computerAddress, describeAddress } from '../../targets/computer-address.js';
import {
  type ComputerSource,
  computerSource,
  sourceArgument,
} from '../../targets/computer-source.js';
import { failOnError, untilReady, waitOptions, waitQuery } from '../../targets/wait-for-status.js';

export const command = defineCommand({
  name: 'reset',
  summary: 'Put a computer back to a snapshot or its creation',
  details: [
    'What was done since is lost, and what was running ends. Name, id, keys and address stay. A computer',
    'that ran runs again. A copy goes back to what it was copied from.',
  ].join(' '),
  arguments: {
    computer: sourceArgument,
    snapshot: optional('snapshot', 'snapshot; see: vc snapshot ls', nonEmpty, {
      completes: 'snapshot',
    }),
  },
  options: waitOptions,
  fields: fields.computer,
  examples: [
    { does: 'Go back to a snapshot', command: 'vc reset demo/desktop clean' },
    { does: 'The same', command: 'vc reset demo/desktop@clean' },
    { does: 'Go back to the state after the creation', command: 'vc reset demo/desktop' },
  ],
  async run(context, { computer: given, snapshot: named }, waiting) {
    const { address, snapshot }: ComputerSource =
      named === undefined
        ? await computerSource(context, given)
        : { address: await computerAddress(context, given), snapshot: named };
    const client = await context.client();
    const name = shellWord(describeAddress(address));
    context.whenInterrupted(`the service still resets it; see: vc get ${name}`);
    const request = client.request('resetComputer', {
      params: computerParameters(address),
      query: waitQuery(waiting),
      body: snapshot === undefined ? {} : { snapshot },
      signal: context.interrupts.signal,
    });
    const computer = await during(
      context.progress(`Resetting ${describeAddress(address)}`),
      request.then((answer) => untilReady(context, answer, waiting)),
    );
    failOnError(computer, describeAddress(address), name);
    if (context.globals.json) return void (await printJson(context, computer));
    if (context.globals.quiet) return void (await print(context, computer.id));
    const to = snapshot === undefined ? 'its state after its creation' : `the snapshot ${snapshot}`;
    await done(context, `reset ${describeAddress(address)} to ${to}, ${computer.status}`);
  },
});
