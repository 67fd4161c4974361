import { printableJson } from '../../../lib/text/printable.js';
import { CliError, notFound } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { cannotRead } from '../../errors/file-errors.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, flag, value } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { number } from '../../input/parse.js';
import { untilInterrupted } from '../../output/watch/until-interrupted.js';
import { jsonLogLine, readableLogLine } from '../../service/log-line.js';
import { lastLines, newLines } from '../../service/read-log.js';
import { logFile, runningProcess } from '../../service/record.js';
import { findService, stateOption, type Target } from '../../service/target.js';

const DEFAULT_LINES = 100;

export const command = defineCommand({
  name: 'logs',
  summary: 'Print the log of the service',
  details: [
    'Prints the log of `vc serve --detach`: readable lines on a terminal; in a pipe or with --json one',
    'JSON object per line. With --follow it continues until Ctrl-C.',
  ].join(' '),
  arguments: {},
  options: {
    follow: flag('-f, --follow', 'print new lines until Ctrl-C'),
    lines: value(
      '-n, --lines <count>',
      'number of lines to begin with',
      number({ min: 0, max: 1_000_000, unit: 'lines' }),
      { otherwise: String(DEFAULT_LINES) },
    ),
    state: stateOption,
  },
  examples: [
    { does: 'Print the last lines', command: 'vc service logs' },
    { does: 'Follow the log', command: 'vc service logs -f' },
    {
      does: 'List failed requests',
      command: "vc service logs -n 10000 | jq -c 'select(.status >= 400)'",
    },
  ],
  async run(context, _, { follow, lines: count = DEFAULT_LINES, state }) {
    const target = await findService(context, state);
    await refuseForeground(target);
    const path = logFile(target.directory);
    const last = await lastLines(path, count).catch((cause) => {
      throw cannotRead(path, cause);
    });
    if (last.end === undefined && !follow) {
      throw notFound(`there is no log ${path}`, 'the service has not run in the background yet');
    }
    await printLines(context, last.lines);
    if (!follow) return ExitCode.ok;
    await untilInterrupted(context, async ({ interrupts }) => {
      for await (const added of newLines(path, last.end, interrupts.signal)) {
        await printLines(context, added);
      }
    }).catch((cause) => {
      throw cannotRead(path, cause);
    });
    return ExitCode.ok;
  },
});

/** Its log is where it was started: in a terminal, or in the journal of systemd. */
async function refuseForeground({ record }: Target): Promise<void> {
  const process = await runningProcess(record);
  if (process === undefined || record.log !== null) return;
  throw new CliError(
    `the service, process ${process.pid}, runs in the foreground and logs to its own stderr`,
    {
      remedy: 'see the terminal or unit that runs it; with vc serve --detach there is a log file',
      exitCode: ExitCode.conflict,
      code: 'conflict',
    },
  );
}

async function printLines(context: Context, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const { io, globals } = context;
  const isReadable = io.stdout.isTTY && !globals.json;
  const chalk = await context.style('stdout');
  const shown = isReadable
    ? lines.map((line) => readableLogLine(line, context.now(), chalk))
    : lines.map((line) => (io.stdout.isTTY ? printableJson(jsonLogLine(line)) : jsonLogLine(line)));
  await write(io.stdout, `${shown.join('\n')}\n`);
}
