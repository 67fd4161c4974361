import { reachableView } from '../../../client/computer/view.js';
import { ServiceError } from '../../../client/errors.js';
import { CliError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { defineCommand, flag } from '../../framework/define.js';
import { done, note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { inCommands } from '../../targets/computer-address.js';
import { namedOrOnly, onComputer, optionalComputer } from '../../targets/computers.js';
import { openInBrowser } from '../../terminal/browser.js';

export const command = defineCommand({
  name: 'view',
  summary: 'Open the live screen in a browser',
  details: [
    'Prints the link if there is no display or stdout is not a terminal. A link works once, within a',
    'minute, and only for this computer.',
  ].join(' '),
  arguments: { computer: optionalComputer },
  options: {
    viewOnly: flag('--view-only', 'show the screen without mouse and keyboard'),
    print: flag('--print', 'print the link instead of opening a browser'),
  },
  examples: [
    { does: 'Open the screen in the browser', command: 'vc view demo/desktop' },
    {
      does: 'Create a link to watch only',
      command: 'vc view demo/desktop --view-only --print',
    },
  ],
  async run(context, { computer: given }, { viewOnly, print: printOnly }) {
    const computer = await namedOrOnly(context, given);
    const { io, env, globals } = context;
    const client = await context.client();
    const mode = viewOnly ? ('view' as const) : ('control' as const);
    const asked = onComputer(context, 'view', computer, { mode }).catch((error: unknown) => {
      const needsMore = error instanceof ServiceError && error.knownCode === 'forbidden';
      if (viewOnly || !needsMore) throw error;
      throw new CliError(error.message, {
        remedy: `to only watch: vc view ${inCommands(context, computer)} --view-only`,
        exitCode: ExitCode.authentication,
        code: 'forbidden',
        cause: error,
      });
    });
    const view = await during(context.progress(`Opening ${computer}`), asked);
    const answer = reachableView(view, client.baseUrl);
    if (globals.json) return void (await printJson(context, answer));
    const isOwn = isBelow(answer.url, client.baseUrl);
    const opens = isOwn && !printOnly && !globals.quiet && io.stdout.isTTY === true;
    const opening = () =>
      during(context.progress('Waiting for the browser'), openInBrowser(answer.url, env));
    if (opens && (await opening())) {
      await done(context, `opened ${computer} in the browser`);
      return undefined;
    }
    await print(context, answer.url);
    if (isOwn) await note(context, 'the link works once, within a minute');
    else await note(context, 'not opened: this is no address of the service');
  },
});

/** False for an address elsewhere, or of a program: a service that is not trusted may answer any. */
function isBelow(url: string, baseUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, origin } = new URL(url);
  return /^https?:$/.test(protocol) && origin === new URL(baseUrl).origin;
}
