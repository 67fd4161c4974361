import type { Answer } from '../../../contract/types/index.js';
import { UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, flag, oneOf, optional } from '../../framework/define.js';
import { keyNamed } from '../../output/columns.js';
import { done, print, printJson } from '../../output/print.js';
import { relativeTime } from '../../output/time/relative-time.js';
import { computerArgument, onComputer } from '../../targets/computers.js';

const ACTIONS = ['take', 'release'] as const;

export const command = defineCommand({
  name: 'control',
  summary: 'Show, take or give back control of a computer',
  details: [
    'While someone has control, input of all others is refused: clicks, keys, typing, the clipboard',
    'and live views. Commands and files continue to work. Control ends a minute after the last input of its',
    'holder, and with its API key.',
  ].join(' '),
  arguments: {
    computer: computerArgument,
    action: { ...optional('action', 'take or release', oneOf(ACTIONS)), choices: ACTIONS },
  },
  options: { force: flag('--force', 'take it from another holder') },
  fields: ['control', 'is_mine'],
  examples: [
    { does: 'Show who has control', command: 'vc computer control demo/desktop' },
    { does: 'Take control', command: 'vc computer control demo/desktop take' },
    { does: 'Give it back', command: 'vc computer control demo/desktop release' },
  ],
  async run(context, { computer, action }, { force }) {
    if (force && action !== 'take') {
      throw new UsageError('--force belongs to take', 'vc computer control COMPUTER take --force');
    }
    if (action === 'release') {
      const released = await onComputer(context, 'releaseControl', computer);
      if (context.globals.json) await printJson(context, released);
      else await done(context, `gave back control of ${computer}`);
      return undefined;
    }
    const state =
      action === 'take'
        ? await onComputer(context, 'takeControl', computer, force ? { force } : {})
        : await onComputer(context, 'getControl', computer);
    return show(context, computer, state);
  },
});

async function show(
  context: Context,
  computer: string,
  { control, is_mine }: Answer<'getControl'>,
): Promise<void> {
  if (context.globals.json) return printJson(context, { control, is_mine });
  if (control === null) return print(context, 'nobody has control alone');
  const { holder, since } = control;
  const who = is_mine ? 'you have' : `${keyNamed(holder.key_name, holder.key_id)} has`;
  const time = context.io.stdout.isTTY
    ? `, taken ${relativeTime(since, context.now())}`
    : ` since ${since}`;
  return print(context, `${who} control of ${computer}${time}`);
}
