import { printable } from '../../../lib/text/printable.js';
import { UsageError } from '../../errors/cli-error.js';
import { defineCommand, oneOf, optional } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { text } from '../../input/parse.js';
import { readAll } from '../../input/script/stdin.js';
import { done, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

const ACTIONS = ['get', 'set'] as const;

export const command = defineCommand({
  name: 'clipboard',
  summary: 'Print or set the text of the clipboard',
  details: [
    'Prints the text that was copied in the computer, or sets the one that its programs paste. Text for',
    'set can come from stdin. It is offered until a program copies something else, or the service ends.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    action: { ...optional('action', 'get (the default) or set', oneOf(ACTIONS)), choices: ACTIONS },
    text: optional('text', 'text to set; - or none reads stdin', text),
  },
  options: {},
  fields: ['text'],
  examples: [
    { does: 'Print the clipboard', command: 'vc clipboard demo/desktop' },
    { does: 'Set it', command: "vc clipboard demo/desktop set 'Hello, world'" },
    { does: 'Set it to a file', command: 'vc clipboard demo/desktop set < notes.txt' },
  ],
  async run(context, { computer, action = 'get', text: given }) {
    if (action === 'get' && given !== undefined) {
      throw new UsageError('get takes no text', 'to set it: vc clipboard COMPUTER set TEXT');
    }
    const { io, globals } = context;
    if (action === 'get') {
      const reading = onComputer(context, 'getClipboard', computer);
      const answer = await during(context.progress(`Reading from ${computer}`), reading);
      if (globals.json) return void (await printJson(context, answer));
      const shown = io.stdout.isTTY
        ? `${answer.text.replaceAll(/[^\n\t]+/g, printable)}\n`
        : answer.text;
      if (answer.text !== '') await write(io.stdout, shown);
      return undefined;
    }
    const content = given === undefined || given === '-' ? await readAll(context) : given;
    const setting = onComputer(context, 'setClipboard', computer, { text: content });
    const answer = await during(context.progress(`Copying to ${computer}`), setting);
    if (globals.json) await printJson(context, answer);
    else await done(context, `set the clipboard of ${computer}`);
    return undefined;
  },
});
