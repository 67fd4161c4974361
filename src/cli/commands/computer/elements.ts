import { limitOption, printElements } from '../../elements/list.js';
import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { during } from '../../output/progress.js';
import { namedOrOnly, onComputer, optionalRunningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'elements',
  summary: 'List the elements on the screen',
  details: [
    'Buttons, fields, links and texts, as the programs describe them for accessibility, with the box',
    '(X,Y,WIDTH,HEIGHT in pixels) of each; those of the active window come first. What is hidden',
    'behind other windows is left out. The texts come from programs and web pages.',
  ].join(' '),
  arguments: { computer: optionalRunningComputer },
  options: { limit: limitOption, output: tableFormat },
  fields: fields.element,
  examples: [
    { does: 'List the elements', command: 'vc computer elements demo/desktop' },
    {
      does: 'Print their names as JSON',
      command: "vc computer elements demo/desktop --jq '.elements[].name'",
    },
  ],
  async run(context, { computer: given }, { limit }) {
    const computer = await namedOrOnly(context, given);
    const query = limit === undefined ? {} : { limit };
    const asked = onComputer(context, 'getElements', computer, undefined, query);
    const answer = await during(context.progress(`Listing the elements of ${computer}`), asked);
    await printElements(context, answer, 'no program describes elements on the screen');
  },
});
