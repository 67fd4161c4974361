import { limitOption, printElements } from '../../elements/list.js';
import { UsageError } from '../../errors/cli-error.js';
import { defineCommand, optional, value } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { during } from '../../output/progress.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'find',
  summary: 'Find elements on the screen by text, role or name',
  details: 'All given conditions must hold; upper and lower case are the same.',
  arguments: {
    computer: runningComputer,
    text: optional('text', 'part of the name or value', nonEmpty),
  },
  options: {
    role: value('--role <role>', 'role, or words of it, such as button', nonEmpty),
    name: value('--name <text>', 'the whole name', nonEmpty),
    limit: limitOption,
    output: tableFormat,
  },
  fields: fields.element,
  examples: [
    { does: 'Find buttons', command: 'vc computer find demo/desktop --role button' },
    {
      does: 'Print the ids of those of that name, for vc click --element',
      command: 'vc computer find demo/desktop --name Mousepad -q',
    },
  ],
  async run(context, { computer, text }, { role, name, limit }) {
    if ((text ?? role ?? name) === undefined) {
      throw new UsageError('a text, --role or --name is needed');
    }
    const asked = onComputer(context, 'findElements', computer, { text, role, name, limit });
    const answer = await during(context.progress(`Searching ${computer}`), asked);
    await printElements(context, answer, 'no such element on the screen');
  },
});
