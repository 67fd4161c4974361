/**
 * Measures the browser as an endpoint: the first connection, which starts Chromium, connections to
 * one that runs, and a short evaluation in a page. Requires a Docker Engine with the Linux image and
 * a built `dist`:
 *
 *   npm run build && node bench/browser.js
 */
import { loadavg } from 'node:os';
import { chromium } from 'playwright-core';
import { quantiles, row, sample } from './measure.js';
import { withService } from './service.js';

/** Most milliseconds of the medians. */
const GOALS = { 'connect to a running browser': 150, 'evaluate in a page': 3 };

await withService({}, async ({ vc, baseUrl, apiKey }) => {
  const computer = await vc.computers.create('bench', { name: 'browser' });
  const url = `${baseUrl.replace('http', 'ws')}/computers/${computer.id}/cdp`;
  const connect = () =>
    chromium.connectOverCDP(url, { headers: { authorization: `Bearer ${apiKey}` } });
  const first = await sample(1, connect, 0);
  const times = {
    'connect to a running browser': await sample(20, async () => (await connect()).close()),
  };
  const browser = await connect();
  const page = await browser.contexts()[0].newPage();
  times['evaluate in a page'] = await sample(500, () => page.evaluate('1 + 1'), 50);
  await browser.close();
  console.table([
    row('first connection, which starts Chromium', first),
    ...Object.entries(times).map(([what, own]) => row(what, own)),
  ]);
  console.log(`load average: ${loadavg()[0].toFixed(1)}`);
  for (const [what, most] of Object.entries(GOALS)) {
    const { p50 } = quantiles(times[what]);
    if (p50 > most) console.log(`${what}: ${p50.toFixed(1)} ms is more than ${most} ms`);
  }
});
