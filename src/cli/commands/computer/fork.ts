import { computerParameters } from '../../../client/http/address.js';
import type { Answer, Computer } from '../../../contract/types/index.js';
import { UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, many } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import {
  type ComputerSource,
  computerSource,
  describeSource,
  sourceArgument,
} from '../../targets/computer-source.js';
import { failOnError, untilReady, waitOptions, waitQuery } from '../../targets/wait-for-status.js';

export const command = defineCommand({
  name: 'fork',
  summary: 'Copy a computer or a snapshot, once or several times',
  details: [
    'Creates new computers in the same project; all of them or none. Copies of a running computer run:',
    'on the engine qemu they have its disk and memory, including open programs, on others they have its',
    'disk and start anew. Copies of a stopped one are stopped, those of a snapshot run.',
  ].join(' '),
  arguments: { computer: sourceArgument, names: many('name', 'name of a copy; up to 16') },
  options: waitOptions,
  fields: fields.computer,
  examples: [
    { does: 'Copy a computer in its current state', command: 'vc fork demo/desktop attempt-2' },
    { does: 'Make three copies at once', command: 'vc fork demo/desktop a b c' },
    { does: 'Copy a snapshot', command: 'vc fork demo/desktop@clean attempt' },
    { does: 'Save the id of the copy', command: 'id=$(vc fork demo/desktop try -q)' },
  ],
  async run(context, { computer: given, names }, waiting) {
    const source = await computerSource(context, given);
    const wanted = names.map((name) => copyName(context, source, name, given));
    const client = await context.client();
    context.whenInterrupted('the service may still create the copies; see: vc ls');
    const [name, ...others] = wanted;
    const { snapshot } = source;
    const request = client.request('forkComputer', {
      params: computerParameters(source.address),
      query: waitQuery(waiting),
      body: {
        ...(others.length === 0 && name !== undefined ? { name } : { names: wanted }),
        ...(snapshot !== undefined && { snapshot }),
      },
      signal: context.interrupts.signal,
    });
    const copies = await during(
      context.progress(`Copying ${describeSource(source)}`),
      request.then((answer) =>
        Promise.all(copiesOf(answer).map((copy) => untilReady(context, copy, waiting))),
      ),
    );
    // Also after a failure, so that a script can remove the copies.
    if (context.globals.quiet && !context.globals.json) {
      for (const { id } of copies) await print(context, id);
    }
    for (const copy of copies) failOnError(copy, `${copy.project_name}/${copy.name}`);
    if (context.globals.json) {
      return void (await printJson(
        context,
        others.length === 0 ? copies[0] : { computers: copies },
      ));
    }
    if (context.globals.quiet) return;
    for (const { id, name: copy, project_name, status } of copies) {
      const text = `copied ${describeSource(source)} to ${project_name}/${copy} (${id}), ${status}`;
      await done(context, text);
    }
  },
});

/** PROJECT/NAME stands for NAME in the project of the computer, the only one that copies are made in. */
function copyName(
  { globals }: Context,
  { address }: ComputerSource,
  text: string,
  given: string,
): string {
  const slash = text.indexOf('/');
  if (globals.project !== undefined || slash < 0) return text;
  const name = text.slice(slash + 1);
  if ('project' in address && address.project === text.slice(0, slash) && name !== '') return name;
  throw new UsageError(
    `a copy is in the project of its computer, and ${text} is not`,
    `save an image first: vc image save ${given} IMAGE && vc create ${text} --image IMAGE`,
  );
}

function copiesOf(answer: Answer<'forkComputer'>): readonly Computer[] {
  return 'computers' in answer ? answer.computers : [answer];
}
