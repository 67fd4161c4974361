import { reachableBrowser } from '../../../client/computer/view.js';
import { defineCommand, flag, list, optional } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { webAddress } from '../../input/web-address.js';
import { note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'cdp',
  summary: 'Open the browser for Playwright or Puppeteer',
  details: [
    'Starts Chromium if it does not run, and prints the address for one connection of a client of the',
    'Chrome DevTools Protocol, within a minute: chromium.connectOverCDP(ADDRESS) in Playwright. The',
    'browser has a profile of its own, which stays, and its windows are on the screen.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    url: optional('url', 'page to open in a tab', webAddress),
  },
  options: {
    temporary: flag('--temporary', 'use an empty profile; the browser ends with the connection'),
    arg: list('--arg <option>', 'option of Chromium, such as --arg=--lang=de', nonEmpty),
  },
  fields: ['ws_url', 'expires_at', 'started'],
  examples: [
    { does: 'Print an address for Playwright', command: 'vc computer cdp demo/desktop' },
    {
      does: 'Use a browser with an empty profile',
      command: 'vc computer cdp demo/desktop https://example.com --temporary',
    },
  ],
  async run(context, { computer, url }, { temporary, arg }) {
    const client = await context.client();
    const asked = onComputer(context, 'openBrowser', computer, {
      ...(url === undefined ? {} : { url }),
      args: arg,
      profile: temporary ? 'temporary' : 'kept',
    });
    const browser = await during(context.progress(`Opening the browser of ${computer}`), asked);
    const answer = reachableBrowser(browser, client.baseUrl);
    if (context.globals.json) return void (await printJson(context, answer));
    await print(context, answer.ws_url);
    await note(context, `Playwright: await chromium.connectOverCDP('ADDRESS')`);
    await note(context, `Puppeteer: await puppeteer.connect({ browserWSEndpoint: 'ADDRESS' })`);
    await note(context, 'the address works once, within a minute');
  },
});
