import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ServiceError } from '../../../client/errors.js';
import { isErrorCode } from '../../../contract/errors.js';
import type { BatchInput } from '../../../contract/index.js';
import { onComputer, runningComputer } from '../../computers.js';
import type { Context } from '../../context.js';
import { argument, defineCommand } from '../../define.js';
import { CliError, UsageError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';
import { cannotRead } from '../../file-errors.js';
import { readAll } from '../../input.js';
import { print, printJson } from '../../output.js';
import { nonEmpty } from '../../parse.js';
import { during } from '../../progress.js';
import { reportOf } from '../../report.js';

/** One line of a script, and where it stands. */
interface Step {
  readonly line: number;
  readonly action: BatchInput;
}

export const command = defineCommand({
  name: 'run',
  summary: 'Run a script of actions in one request',
  details: [
    'A line of the script is a JSON object: "action" (click, move, drag, scroll, type, key, screenshot,',
    'wait, bash or exec) and what that takes over HTTP; up to 100. All of it is checked before the',
    "first runs, nobody else's input comes between, and the first failure ends it. Each result is one",
    'line of JSON.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    script: argument('script', 'a file of JSON lines, or - for stdin', nonEmpty, {
      completes: 'file',
    }),
  },
  options: {},
  examples: [
    { does: 'Run a script', command: 'vc computer run demo/desktop login.jsonl' },
    {
      does: 'Click, type and look, when the screen has come to rest',
      command:
        'printf \'%s\\n\' \'{"action":"click","x":640,"y":400}\' \'{"action":"type","text":"hi","settle":true}\' | vc computer run demo/desktop -',
    },
  ],
  async run(context, { computer, script }) {
    const steps = parseScript(await readScript(context, script));
    const actions = steps.map(({ action }) => action);
    const work = onComputer(context, 'batch', computer, { actions }).catch((error: unknown) => {
      throw withLines(error, steps, computer);
    });
    const answer = await during(context.progress(`Running ${script} in ${computer}`), work);
    if (context.globals.json) await printJson(context, answer);
    else for (const result of answer.results) await print(context, JSON.stringify(result));
    if (answer.success) return ExitCode.ok;
    const step = steps[answer.results.length - 1];
    const last = answer.results.at(-1);
    const reason = last !== undefined && 'error' in last ? last.error : undefined;
    const code = last !== undefined && 'code' in last ? last.code : undefined;
    const failed = new ServiceError(isErrorCode(code) ? code : 'internal', reason ?? 'it failed');
    throw atLine(`line ${step?.line} (${step?.action.action}): `, failed, computer);
  },
});

async function readScript(context: Context, script: string): Promise<string> {
  if (script === '-') return readAll(context);
  try {
    return await readFile(resolve(context.cwd, script), 'utf8');
  } catch (cause) {
    throw cannotRead(script, cause);
  }
}

/** The steps of a script; blank lines are none. What each means is the service's to check. */
function parseScript(text: string): Step[] {
  const steps: Step[] = [];
  for (const [index, content] of text.split('\n').entries()) {
    if (content.trim() !== '')
      steps.push({ line: index + 1, action: parseLine(content, index + 1) });
  }
  if (steps.length === 0) throw new UsageError('the script has no action');
  return steps;
}

function parseLine(content: string, line: number): BatchInput {
  try {
    const action: unknown = JSON.parse(content);
    if (typeof action === 'object' && action !== null) return action as BatchInput;
  } catch {
    // Said below: what is wrong with it is the same either way.
  }
  throw new UsageError(
    `line ${line} of the script is not a JSON object`,
    'a line is for example {"action": "click", "x": 640, "y": 400}',
  );
}

/** A refusal counts actions from 0; a person counts lines. */
function withLines(error: unknown, steps: readonly Step[], computer: string): unknown {
  if (!(error instanceof ServiceError) || !error.message.startsWith('actions.')) return error;
  const message = error.message.replaceAll(/\bactions\.(\d+)(?:\.|:)? ?/g, (_, index: string) => {
    return `line ${steps[Number(index)]?.line}: `;
  });
  return atLine('', new ServiceError(error.code, message), computer);
}

function atLine(line: string, error: ServiceError, computer: string): CliError {
  const { code, message, hint, exitCode } = reportOf(error, computer);
  return new CliError(`${line}${message}`, { code, hint, exitCode });
}
