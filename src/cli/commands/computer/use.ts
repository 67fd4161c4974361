import { DIALECTS } from '../../../contract/constants.js';
import type { BodyInput } from '../../../contract/types/index.js';
import { UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { choice, defineCommand, flag, list, optional } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { readScript } from '../../input/script/script.js';
import { printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

type Items = BodyInput<'computerUse'>['items'];

export const command = defineCommand({
  name: 'use',
  summary: "Carry out a model's calls in the shape of its vendor",
  details: [
    'The file has the calls of one turn as JSON: a call, or a list of calls. Prints the answer as',
    'JSON: "results" has the result items for the model. The dialect is recognized by the envelope',
    'of the calls. Safety checks are listed in "confirm"; a person has to acknowledge them. --tools',
    'prints the tools to declare to the model instead.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    file: optional('file', 'file of JSON, or - for stdin', nonEmpty, { completes: 'file' }),
  },
  options: {
    dialect: choice('--dialect <name>', 'shape of the calls', DIALECTS),
    acknowledge: list(
      '--acknowledge <id>',
      'safety check that a person has confirmed; repeatable',
      nonEmpty,
    ),
    secret: list('--secret <name>', 'secret that texts may contain; repeatable', nonEmpty, {
      completes: 'secret',
    }),
    tools: flag('--tools', 'print the tools to declare to the model; needs --dialect'),
  },
  examples: [
    {
      does: 'Carry out the calls of a turn',
      command: 'vc computer use demo/desktop turn.json',
    },
    {
      does: "Print a vendor's tool declaration",
      command: 'vc computer use demo/desktop --tools --dialect anthropic',
    },
  ],
  async run(context, { computer, file }, { dialect, acknowledge, secret, tools }) {
    if (tools) {
      if (dialect === undefined) throw new UsageError('--tools needs --dialect');
      if (file !== undefined) throw new UsageError('--tools takes no file');
      const query = { dialect };
      await printJson(
        context,
        await onComputer(context, 'getComputerUse', computer, undefined, query),
      );
      return ExitCode.ok;
    }
    if (file === undefined) throw new UsageError('a file is needed, or - for stdin');
    const items = itemsOf(await readScript(context, file));
    const body = { items, dialect, acknowledge: [...acknowledge], secrets: [...secret] };
    const work = onComputer(context, 'computerUse', computer, body);
    const answer = await during(context.progress(`Using ${computer}`), work);
    await printJson(context, answer);
    return answer.success ? ExitCode.ok : ExitCode.failure;
  },
});

function itemsOf(text: string): Items {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError('the file is not JSON');
  }
  return (Array.isArray(value) ? value : [value]) as Items;
}
