import { ServiceError } from '../../../client/errors.js';
import { DEFAULT_SECONDS } from '../../../contract/constants.js';
import { CliError, UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { choice, defineCommand, flag, list, optional, value } from '../../framework/define.js';
import { conditions } from '../../input/conditions.js';
import { duration, timeLimit } from '../../input/duration.js';
import { nonEmpty, number, region } from '../../input/parse.js';
import { printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { computerArgument, onComputer } from '../../targets/computers.js';
import { waitForStatus } from '../../targets/wait-for-status.js';

const pause = duration({ unit: 's', min: '0s', max: '60s' });

export const command = defineCommand({
  name: 'wait',
  summary: 'Wait for a time, the screen, a condition or a status',
  details: [
    'Needs one of DURATION, --stable, --change, --for or at least one condition. Several conditions must',
    'hold at the same time; with --any, one of them. vc screenshot, vc click, vc type and the other',
    'actions wait for a stable screen themselves with --settle. The exit code is 124 after --timeout,',
    'which is at most 10 minutes, with --for 24 hours.',
  ].join(' '),
  arguments: {
    computer: computerArgument,
    duration: optional('duration', 'how long to wait, at most 60s', pause),
  },
  options: {
    stable: flag('--stable', 'wait until the screen stops changing'),
    change: flag('--change', 'wait until the screen changes'),
    for: choice('--for <status>', 'wait until the computer has this status', [
      'running',
      'stopped',
    ]),
    element: list(
      '--element <role:name>',
      'an element is on the screen: ROLE:NAME or TEXT',
      nonEmpty,
    ),
    text: list('--text <text>', 'this text can be read on the screen', nonEmpty),
    window: list('--window <title>', 'a window is open; a part of its title', nonEmpty),
    file: list('--file <path>', 'a file or directory exists in the computer', nonEmpty),
    sizeAbove: value(
      '--size-above <bytes>',
      'and the files have more bytes than this',
      number({ min: 0, max: Number.MAX_SAFE_INTEGER, unit: 'bytes' }),
    ),
    port: list(
      '--port <port>',
      'a program listens on the TCP port',
      number({ min: 1, max: 65_535, unit: 'a port' }),
    ),
    command: list('--command <command>', 'a bash command succeeds; run once a second', nonEmpty),
    url: list('--url <text>', 'a page of the browser of vc cdp has this in its address', nonEmpty),
    any: flag('--any', 'one of the conditions is enough'),
    gone: flag('--gone', 'wait until the conditions do not hold'),
    region: value(
      '--region <x,y,w,h>',
      'only watch this part of the screen, with --stable, --change or --text',
      region,
    ),
    timeout: value('--timeout <duration>', 'how long to wait', timeLimit, {
      otherwise: '10s, with --for 60s',
    }),
  },
  examples: [
    {
      does: 'Wait until a server in it listens',
      command: 'vc wait demo/desktop --port 8000 --timeout 1m',
    },
    {
      does: 'Wait until a button can be seen',
      command: "vc wait demo/desktop --element 'button:OK'",
    },
    { does: 'Wait until a text can be read', command: 'vc wait demo/desktop --text Saved' },
    { does: 'Wait until the screen is stable', command: 'vc wait demo/desktop --stable' },
    { does: 'Wait two seconds', command: 'vc wait demo/desktop 2s' },
    {
      does: 'Wait until it is stopped',
      command: 'vc wait demo/desktop --for stopped --timeout 2m',
    },
  ],
  async run(context, { computer, duration: time }, options) {
    const { stable, change, for: status, region: area, timeout } = options;
    const condition = conditions(options);
    const given = [time !== undefined, stable, change, status !== undefined, condition].filter(
      Boolean,
    );
    if (given.length !== 1) {
      throw new UsageError(
        'give DURATION, --stable, --change, --for or conditions, only one of them',
      );
    }
    const until = stable ? 'stable' : change ? 'change' : condition;
    const work: Promise<unknown> =
      status === undefined
        ? onComputer(context, 'wait', computer, {
            duration: time,
            until,
            timeout,
            region:
              area && options.text.length === 0
                ? [area.x, area.y, area.width, area.height]
                : undefined,
          })
        : waitForStatus(context, computer, status, timeout ?? 60);
    const answer = await during(context.progress(`Waiting for ${computer}`), work).catch(timedOut);
    if (context.globals.json) await printJson(context, answer);
    if (isUnchanged(answer)) {
      const remedy = 'increase --timeout';
      throw new CliError(`the screen did not change for ${timeout ?? DEFAULT_SECONDS.wait} s`, {
        remedy,
        code: 'guest_timeout',
        exitCode: ExitCode.timedOut,
      });
    }
  },
});

/** Gives the error of a wait that timed out the exit code of timeout(1). */
function timedOut(error: unknown): never {
  const isOfService = error instanceof ServiceError && error.code === 'guest_timeout';
  if (!isOfService && !(error instanceof CliError && error.code === 'timeout')) throw error;
  const { code, message, remedy } = error;
  throw new CliError(message, { code, remedy, exitCode: ExitCode.timedOut, cause: error });
}

function isUnchanged(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && Reflect.get(answer, 'changed') === false;
}
