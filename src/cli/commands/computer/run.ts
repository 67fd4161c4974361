import { ServiceError } from '../../../client/errors.js';
import type { BatchInput } from '../../../contract/index.js';
import { CliError, UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { reportOf } from '../../errors/report.js';
import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { readScript } from '../../input/script/script.js';
import { printJson, printJsonLine } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

/** An action and its line in the script. */
interface Step {
  readonly line: number;
  readonly action: BatchInput;
}

export const command = defineCommand({
  name: 'run',
  summary: 'Run a batch of actions in one request',
  details: [
    'The script has up to 100 lines. Each line is a JSON object with "action" (click, move, drag,',
    'scroll, mouse_down, mouse_up, type, key, key_down, key_up, cursor, screenshot, wait, bash or',
    'exec) and the fields of its HTTP request. All actions are validated before the first one runs.',
    'They run without input of other clients in between and stop at the first failure. Prints one line of JSON per result.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    script: argument('script', 'file of JSON lines, or - for stdin', nonEmpty, {
      completes: 'file',
    }),
  },
  options: {},
  examples: [
    { does: 'Run a script', command: 'vc computer run demo/desktop login.jsonl' },
    {
      does: 'Click and type, then wait until the screen is stable',
      command:
        'printf \'%s\\n\' \'{"action":"click","x":640,"y":400}\' \'{"action":"type","text":"hi","settle":true}\' | vc computer run demo/desktop -',
    },
  ],
  async run(context, { computer, script }) {
    const steps = parseScript(await readScript(context, script));
    const actions = steps.map(({ action }) => action);
    const work = onComputer(context, 'batch', computer, { actions }).catch((error: unknown) => {
      throw withLines(error, steps);
    });
    const answer = await during(context.progress(`Running ${script} in ${computer}`), work);
    if (context.globals.json) await printJson(context, answer);
    else for (const result of answer.results) await printJsonLine(context, result);
    if (answer.success) return ExitCode.ok;
    const step = steps[answer.results.length - 1];
    const last = answer.results.at(-1);
    const { code, error, remedy } =
      last !== undefined && 'code' in last ? last : { code: 'internal', error: 'it failed' };
    throw atLine(
      `line ${step?.line} (${step?.action.action}): `,
      new ServiceError(code, error, { remedy }),
    );
  },
});

/** The actions of a script, without blank lines. The service validates them. */
function parseScript(text: string): Step[] {
  const steps: Step[] = [];
  for (const [index, content] of text.split('\n').entries()) {
    if (content.trim() !== '')
      steps.push({ line: index + 1, action: parseLine(content, index + 1) });
  }
  if (steps.length === 0) throw new UsageError('the script is empty');
  return steps;
}

function parseLine(content: string, line: number): BatchInput {
  try {
    const action: unknown = JSON.parse(content);
    if (typeof action === 'object' && action !== null) return action as BatchInput;
  } catch {
    // Reported below.
  }
  throw new UsageError(
    `line ${line} of the script is not a JSON object`,
    'example: {"action": "click", "x": 640, "y": 400}',
  );
}

/** Replaces `actions.0`, the field path of a validation error, by the line of the script. */
function withLines(error: unknown, steps: readonly Step[]): unknown {
  if (!(error instanceof ServiceError) || !error.message.startsWith('actions.')) return error;
  const message = error.message.replaceAll(/\bactions\.(\d+)(?:\.|:)? ?/g, (_, index: string) => {
    return `line ${steps[Number(index)]?.line}: `;
  });
  return atLine('', new ServiceError(error.code, message, error));
}

function atLine(line: string, error: ServiceError): CliError {
  const { code, message, remedy, exitCode } = reportOf(error);
  return new CliError(`${line}${message}`, { code, remedy, exitCode });
}
