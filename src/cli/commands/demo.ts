import { randomBytes } from 'node:crypto';
import { fileTimestamp } from '../../lib/text/file-timestamp.js';
import { checkService } from '../demo/check-service.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { defineCommand, flag, value } from '../framework/define.js';
import { duration } from '../input/duration.js';
import { note, print, printJson } from '../output/print.js';

/** Default seconds between steps on a terminal. */
const PAUSE_SECONDS = 2;
const pauses = duration({ unit: 's', min: '0s', max: '60s' });

export const command = defineCommand({
  name: 'demo',
  summary: 'Run a one-minute demo',
  details: [
    'Creates a project with a computer, runs a few programs in it, and shows a screenshot in the',
    'terminal (kitty, iTerm2, sixel) or saves it in this directory. Removes the project at the end,',
    'also after Ctrl-C. Prints every command before running it.',
  ].join(' '),
  arguments: {},
  options: {
    keep: flag('--keep', 'keep the computer'),
    pause: value('--pause <duration>', 'pause between steps', pauses, {
      otherwise: `${PAUSE_SECONDS}s on a terminal, else 0`,
    }),
  },
  examples: [
    { does: 'Run the demo', command: 'vc demo' },
    { does: 'Run it without pauses, and keep the computer', command: 'vc demo --pause 0 --keep' },
  ],
  async run(context, _, { keep, pause }) {
    await checkService(context, 'the demo');
    const { drivingSteps } = await import('../demo/steps.js');
    const { Tour } = await import('../demo/tour.js');
    const began = performance.now();
    const tour = new Tour(context, pause ?? (context.io.stderr.isTTY ? PAUSE_SECONDS : 0));
    const project = `demo-${randomBytes(3).toString('hex')}`;
    const computer = `${project}/desktop`;
    const last = await screenshotStep(context, computer);
    const making = [
      { says: 'Create a project for the computer', argv: ['project', 'create', project] },
      {
        says: 'Create a computer: a desktop that stops after 10 idle minutes',
        argv: ['create', computer, '--auto-stop', '10'],
      },
    ];
    let code: number = ExitCode.ok;
    for (const step of [...making, ...drivingSteps(computer)]) {
      code = await tour.show(step);
      if (code !== ExitCode.ok) break;
    }
    if (code === ExitCode.ok) code = await tour.show(last.step, last.output);
    if (keep && code === ExitCode.ok) {
      await note(context, '');
      await note(context, `to remove it: vc project rm ${project}`);
    } else {
      const tidied = await tour.cleanUp({
        says: 'Remove the project and the computer',
        argv: ['project', 'rm', project, '--yes'],
      });
      if (code === ExitCode.ok) code = tidied;
    }
    if (code !== ExitCode.ok) return code;
    const seconds = Math.round((performance.now() - began) / 1000);
    const { file = null } = last;
    if (context.globals.json) await printJson(context, { project, computer, file, seconds });
    else if (context.globals.quiet && file !== null) await print(context, file);
    await note(context, '');
    await note(
      context,
      `demo finished in ${seconds} s${file === null ? '' : `; screenshot: ${file}`}`,
    );
    await note(context, 'next: vc create NAME; see also: vc --help');
  },
});

/** The step that shows a screenshot in the terminal, or saves it to a file. */
async function screenshotStep(context: Context, computer: string) {
  const { io, env, globals, now } = context;
  const argv = ['screenshot', computer];
  if (!globals.json && !globals.quiet && io.stdout.isTTY) {
    const { detectGraphics } = await import('../terminal/graphics/detect.js');
    if ((await detectGraphics(io, env)) !== undefined) {
      return { step: { says: 'Show its screen', argv }, output: 'terminal' } as const;
    }
  }
  const file = `vc-demo-${fileTimestamp(now())}.png`;
  const step = { says: 'Take a screenshot', argv: [...argv, '-o', file] };
  return { step, output: 'stderr', file } as const;
}
