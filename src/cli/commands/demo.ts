import { randomBytes } from 'node:crypto';
import { ServiceUnreachableError } from '../../client/errors.js';
import { LOCAL_BASE_URL, sameBaseUrl } from '../../profile/index.js';
import type { Context } from '../context.js';
import { defineCommand, flag, value } from '../define.js';
import { CliError } from '../errors.js';
import { ExitCode } from '../exit-codes.js';
import { fileTimestamp } from '../files.js';
import { note, print, printJson } from '../output.js';
import { number } from '../parse.js';

/** Seconds for a person to read a step. */
const READING = 2;
const pauses = number({ min: 0, max: 60, unit: 'seconds', step: 'any' });

export const command = defineCommand({
  name: 'demo',
  summary: 'Show in a minute what vc can do',
  details: [
    'Makes a project with a computer, does something worth seeing in it, shows the picture in a',
    'terminal that can (kitty, iTerm2, sixel) or saves it in this directory, and removes both again,',
    'also after Ctrl-C. Every command is said before it runs, as you would type it.',
  ].join(' '),
  arguments: {},
  options: {
    keep: flag('--keep', 'leave the computer there to go on with'),
    pause: value('--pause <seconds>', 'between steps, to read', pauses, {
      otherwise: `${READING} on a terminal, else 0`,
    }),
  },
  examples: [
    { does: 'Take the tour', command: 'vc demo' },
    { does: 'Take it fast, and keep the computer', command: 'vc demo --pause 0 --keep' },
  ],
  async run(context, _, { keep, pause }) {
    await checkService(context);
    const { drivingSteps } = await import('../demo/steps.js');
    const { Tour } = await import('../demo/tour.js');
    const began = performance.now();
    const tour = new Tour(context, pause ?? (context.io.stderr.isTTY ? READING : 0));
    const project = `demo-${randomBytes(3).toString('hex')}`;
    const computer = `${project}/desktop`;
    const picture = await pictureOf(context, computer);
    const making = [
      { says: 'A project holds computers', argv: ['project', 'create', project] },
      {
        says: 'A computer is a whole desktop; this one stops by itself when it is forgotten',
        argv: ['computer', 'create', computer, '--auto-stop', '10'],
      },
    ];
    let code: number = ExitCode.ok;
    for (const step of [...making, ...drivingSteps(computer)]) {
      code = await tour.show(step);
      if (code !== ExitCode.ok) break;
    }
    if (code === ExitCode.ok) code = await tour.show(picture.step, picture.where);
    if (keep && code === ExitCode.ok) {
      await note(context, '');
      await note(context, `remove it when you are done: vc project rm ${project}`);
    } else {
      const tidied = await tour.tidy({
        says: 'Remove it all again',
        argv: ['project', 'rm', project, '--yes'],
      });
      if (code === ExitCode.ok) code = tidied;
    }
    if (code !== ExitCode.ok) return code;
    const seconds = Math.round((performance.now() - began) / 1000);
    const { file = null } = picture;
    if (context.globals.json) await printJson(context, { project, computer, file, seconds });
    else if (context.globals.quiet && file !== null) await print(context, file);
    await note(context, '');
    await note(context, `that was vc, in ${seconds} s${file === null ? '' : `; picture: ${file}`}`);
    await note(context, 'go on: vc project create NAME, vc --help, vc computer view --help');
    return undefined;
  },
});

/** Nothing is said before there is somebody to show it. */
async function checkService(context: Context): Promise<void> {
  const { interrupts } = context;
  try {
    const client = await context.client();
    const { running, max_running: most } = await client.request('getMe', {
      signal: interrupts.signal,
    });
    if (running < most) return;
    throw new CliError(`${running} of ${most} computers run already, and the tour needs one`, {
      hint: 'stop one first: vc computer ls --all, vc computer stop COMPUTER',
      exitCode: ExitCode.conflict,
      code: 'limit_reached',
    });
  } catch (error) {
    const isLocal =
      error instanceof ServiceUnreachableError && sameBaseUrl(error.baseUrl, LOCAL_BASE_URL);
    if (!isLocal) throw error;
    throw new CliError(error.message, {
      hint: 'set this machine up and start it: vc setup && vc image build linux && vc serve --detach',
      exitCode: ExitCode.unreachable,
      code: 'unreachable',
      cause: error,
    });
  }
}

/** The step that shows the screen where it can be shown, else saves it under the file's name. */
async function pictureOf(context: Context, computer: string) {
  const { io, env, globals, now } = context;
  const argv = ['computer', 'screenshot', computer];
  if (!globals.json && !globals.quiet && io.stdout.isTTY) {
    const { detectGraphics } = await import('../graphics/detect.js');
    if ((await detectGraphics(io, env)) !== undefined) {
      return { step: { says: 'Look at its screen', argv }, where: 'terminal' } as const;
    }
  }
  const file = `vc-demo-${fileTimestamp(now())}.png`;
  const step = { says: 'Take a picture of its screen', argv: [...argv, '-o', file] };
  return { step, where: 'aside', file } as const;
}
