import { checkService } from '../demo/check-service.js';
import { drivingSteps, type Step } from '../demo/steps.js';
import { Tour } from '../demo/tour.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { defineCommand, optional } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';
import { note, print, printJson } from '../output/print.js';
import { isNotFound, request } from '../targets/client.js';
import { inCommands, newComputerAddress } from '../targets/computer-address.js';

/** Seconds between steps, for a person who watches. */
const PAUSE_SECONDS = 2;

export const command = defineCommand({
  name: 'try',
  summary: 'Create a first computer and watch vc use it',
  details: [
    'Creates the computer "try", opens its screen in the browser or prints the link to it, opens an',
    'editor and a terminal in it and types into them. The computer keeps running. Prints every command',
    'before running it. Run it again to see it in the same computer.',
  ].join(' '),
  arguments: {
    computer: optional('computer', 'name or PROJECT/NAME; try if not given', nonEmpty),
  },
  options: {},
  examples: [{ does: 'Create a computer and watch it', command: 'vc try' }],
  async run(context, { computer: given = 'try' }) {
    const address = await newComputerAddress(context, given);
    const shown =
      context.globals.project === undefined ? given : `${address.project}/${address.name}`;
    const begin = await firstStep(context, address, shown);
    const { json, quiet } = context.globals;
    const isWatched = context.io.stdin.isTTY === true && context.io.stderr.isTTY === true;
    const tour = new Tour(context, isWatched && !json && !quiet ? PAUSE_SECONDS : 0);
    const code =
      (await showAll(tour, begin === undefined ? [] : [begin])) ||
      (await showView(context, tour, shown)) ||
      (await showAll(tour, drivingSteps(shown)));
    const name = inCommands(context, given);
    if (code !== ExitCode.ok) {
      await note(context, `to remove the computer: vc rm ${name}`);
      return code;
    }
    if (json) await printJson(context, { project: address.project, computer: address.name });
    else if (quiet) await print(context, shown);
    await note(context, '');
    await note(context, `${shown} keeps running. Next:`);
    for (const next of [`screenshot ${name} --show`, `shell ${name}`, `rm ${name}`]) {
      await note(context, `  vc ${next}`);
    }
    return ExitCode.ok;
  },
});

/** Creates or starts the computer; undefined if it runs. */
async function firstStep(
  context: Context,
  { project, name }: { readonly project: string; readonly name: string },
  shown: string,
): Promise<Step | undefined> {
  const found = await request(context, 'getComputer', {
    params: { project, computer: name },
  }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  if (found?.status === 'running') return undefined;
  await checkService(context, 'this');
  return found === undefined
    ? { says: 'Create a computer', argv: ['create', shown] }
    : { says: 'Start the computer', argv: ['start', shown] };
}

async function showAll(tour: Tour, steps: readonly Step[]): Promise<number> {
  for (const step of steps) {
    const code = await tour.show(step);
    if (code !== ExitCode.ok) return code;
  }
  return ExitCode.ok;
}

/** Opens the live view, and gives the user at the terminal time to open its link. */
async function showView(context: Context, tour: Tour, shown: string): Promise<number> {
  const { json, quiet } = context.globals;
  if (json || quiet) return ExitCode.ok;
  const { io } = context;
  const argv = ['view', shown];
  const code = await tour.show(
    { says: 'Open its screen', argv },
    io.stdout.isTTY ? 'terminal' : 'stderr',
  );
  if (code !== ExitCode.ok) return code;
  const prompt = await context.prompt();
  if (prompt.isInteractive) await prompt.pause('\nPress Enter when you see it, or at once: ');
  return ExitCode.ok;
}
