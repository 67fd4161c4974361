import { defineCommand, flag } from '../framework/define.js';
import { done, note, print, printJson } from '../output/print.js';
import { during } from '../output/progress.js';
import { request } from '../targets/client.js';
import { openInBrowser } from '../terminal/browser.js';

export const command = defineCommand({
  name: 'dashboard',
  summary: 'Open the web page of the service in a browser',
  details: [
    'Prints the link if there is no display or stdout is not a terminal. The link logs in once, within',
    'five minutes, with the rights of your API key.',
  ].join(' '),
  arguments: {},
  options: { print: flag('--print', 'print the link instead of opening a browser') },
  examples: [
    { does: 'Open the page in the browser', command: 'vc dashboard' },
    { does: 'Create a link for a browser on another machine', command: 'vc dashboard --print' },
  ],
  async run(context, _, { print: printOnly }) {
    const { io, env, globals } = context;
    const login = await request(context, 'createLogin');
    const client = await context.client();
    // The service may see another address behind a proxy.
    const url = `${client.baseUrl.replace(/\/api\/?$/, '')}/#login=${login.token}`;
    if (globals.json) return void (await printJson(context, { ...login, url }));
    const opens = !printOnly && !globals.quiet && io.stdout.isTTY === true;
    const opening = () =>
      during(context.progress('Waiting for the browser'), openInBrowser(url, env));
    if (opens && (await opening())) {
      await done(context, 'opened the web page in the browser');
      return undefined;
    }
    await print(context, url);
    await note(context, 'the link works once, within five minutes');
  },
});
