import { reachableView } from '../../../client/computer/view.js';
import { defineCommand, flag } from '../../framework/define.js';
import { done, note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
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
    const asked = onComputer(context, 'view', computer, { mode });
    const view = await during(context.progress(`Opening ${computer}`), asked);
    const answer = reachableView(view, client.baseUrl);
    if (globals.json) return void (await printJson(context, answer));
    const opens = !printOnly && !globals.quiet && io.stdout.isTTY === true;
    if (opens && (await openInBrowser(answer.url, env))) {
      await done(context, `opened ${computer} in the browser`);
      return undefined;
    }
    await print(context, answer.url);
    await note(context, 'the link works once, within a minute');
  },
});
