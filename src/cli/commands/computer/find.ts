import { SOURCES } from '../../../contract/constants.js';
import { limitOption, printElements } from '../../elements/list.js';
import { UsageError } from '../../errors/cli-error.js';
import { choice, defineCommand, optional, value } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { during } from '../../output/progress.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'find',
  summary: 'Find elements on the screen by text, role or name',
  details: [
    'All given conditions must hold; upper and lower case are the same. A text that no element has is',
    'looked for in the picture of the screen, in any program; the id of such a text is its place.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    text: optional('text', 'part of the name or value, or text on the screen', nonEmpty),
  },
  options: {
    role: value('--role <role>', 'role, or words of it, such as button', nonEmpty),
    name: value('--name <text>', 'the whole name', nonEmpty),
    source: choice('--source <source>', 'where to look', SOURCES, { otherwise: 'both' }),
    limit: limitOption,
    output: tableFormat,
  },
  fields: fields.element,
  examples: [
    { does: 'Find a text in any program', command: "vc find demo/desktop 'Sign in'" },
    { does: 'Find buttons', command: 'vc find demo/desktop --role button' },
    {
      does: 'Print the ids of those of that name, for vc click --element',
      command: 'vc find demo/desktop --name Mousepad -q',
    },
  ],
  async run(context, { computer, text }, { role, name, source, limit }) {
    if ((text ?? role ?? name) === undefined) {
      throw new UsageError('a text, --role or --name is needed');
    }
    const asked = onComputer(context, 'findElements', computer, {
      text,
      role,
      name,
      source,
      limit,
    });
    const answer = await during(context.progress(`Searching ${computer}`), asked);
    await printElements(context, answer, 'no such element or text on the screen');
  },
});
