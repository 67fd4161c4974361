import { reachableView } from '../../../client/view.js';
import { openInBrowser } from '../../browser.js';
import { computerArgument, onComputer } from '../../computers.js';
import { defineCommand, flag } from '../../define.js';
import { done, note, print, printJson } from '../../output.js';
import { during } from '../../progress.js';

export const command = defineCommand({
  name: 'view',
  summary: 'Watch the screen live in a browser, and use it',
  details: [
    'Opens the browser, or prints the link where there is no display or no terminal. The link works',
    'once, within a minute, for this computer alone; make another whenever you need one.',
  ].join(' '),
  arguments: { computer: computerArgument },
  options: {
    viewOnly: flag('--view-only', 'show the screen, and take no mouse or keyboard'),
    print: flag('--print', 'print the link instead of opening a browser'),
  },
  examples: [
    { does: 'Open the screen in the browser', command: 'vc computer view demo/desktop' },
    {
      does: 'Let somebody watch',
      command: 'vc computer view demo/desktop --view-only --print',
    },
  ],
  async run(context, { computer }, { viewOnly, print: printOnly }) {
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
    return undefined;
  },
});
