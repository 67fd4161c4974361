import { argument, defineCommand, list, value } from '../../framework/define.js';
import { duration } from '../../input/duration.js';
import { nonEmpty, text } from '../../input/parse.js';
import { readAll } from '../../input/script/stdin.js';
import { settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'type',
  summary: 'Type text',
  details: [
    'Types any Unicode text. A newline presses Enter, a tab presses Tab. - reads text from stdin.',
    '{{secret:NAME}} in the text is the value of a secret that --secret names.',
  ].join(' '),
  arguments: { computer: runningComputer, text: argument('text', 'text, or - for stdin', text) },
  options: {
    delay: value(
      '--delay <duration>',
      'pause between characters; a bare number is milliseconds',
      duration({ unit: 'ms', min: '0ms', max: '1s', step: 'whole' }),
    ),
    secret: list('--secret <name>', 'secret that the text may contain; repeatable', nonEmpty, {
      completes: 'secret',
    }),
    settle: settleOption,
  },
  examples: [
    { does: 'Type a line', command: "vc type demo/desktop 'Hello, world'" },
    { does: 'Type a file', command: 'vc type demo/desktop - < notes.txt' },
    {
      does: 'Type a secret',
      command: "vc type demo/desktop '{{secret:SHOP_PASSWORD}}' --secret SHOP_PASSWORD",
    },
    { does: 'Type text that starts with a dash', command: 'vc type demo/desktop -- -v' },
  ],
  async run(context, { computer, text: given }, { delay, secret, settle }) {
    const content = given === '-' ? await readAll(context) : given;
    await act(context, 'type', computer, {
      text: content,
      delay_ms: delay,
      settle,
      ...(secret.length === 0 ? {} : { secrets: [...secret] }),
    });
  },
});
