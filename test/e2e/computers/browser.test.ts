import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { thorough } from '../../support/run/tiers.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

const PAGE = 'data:text/html,<title>form</title><button onclick="document.title=1">ok</button>';
const endpoint = () => `${desktop.service.baseUrl}/computers/${desktop.id}/cdp`;
/** An emulated machine may take minutes to start Chromium. */
const timeout = 240_000;
const headers = () => ({ authorization: `Bearer ${desktop.service.apiKey}` });

thorough(
  'Playwright and Puppeteer drive one browser, whose windows are on the screen',
  async () => {
    const before = await desktop.computer.screenshot();
    const browser = await chromium.connectOverCDP(endpoint(), { headers: headers(), timeout });
    const page = await browser.contexts()[0]?.newPage();
    page?.setDefaultTimeout(timeout);
    await page?.goto(PAGE);
    await page?.click('button');
    expect(await page?.title()).toBe('1');

    const other = await puppeteer.connect({
      browserWSEndpoint: endpoint().replace('http', 'ws'),
      headers: headers(),
      protocolTimeout: timeout,
    });
    const pages = await other.pages();
    const titles = await Promise.all(pages.map((each) => each.title()));
    expect(titles).toContain('1');
    await other.disconnect();

    // A large message in each direction.
    const length = await page?.evaluate((text) => text.length, 'x'.repeat(2_000_000));
    expect(length).toBe(2_000_000);
    expect(await page?.evaluate(() => 'y'.repeat(2_000_000).length)).toBe(2_000_000);
    expect(Buffer.compare(await desktop.computer.screenshot(), before)).not.toBe(0);
    await page?.close();
    await browser.close();
  },
);

it('a temporary browser needs no key, has an empty profile and leaves nothing', async () => {
  const { ws_url: url } = await desktop.computer.browser({ profile: 'temporary', url: PAGE });
  const browser = await chromium.connectOverCDP(url, { timeout });
  const [page] = browser.contexts()[0]?.pages() ?? [];
  expect(await page?.title()).toBe('form');
  await browser.close();
  await desktop.until('! ls -d /tmp/vc-browser-* 2>/dev/null && ! pgrep -f user-data-dir=/tmp');
});

thorough(
  'a window opens with the lock of a Chromium that was killed before a new host name',
  async () => {
    // The browser of the tests above may still show a page.
    const page = 'data:text/html,<title>of its own</title>';
    const start = `setsid --fork chromium '${page}' >/dev/null 2>&1`;
    const window = 'xdotool search --onlyvisible --name "of its own"';
    await desktop.run(start);
    await desktop.until(`${window} >/dev/null`);
    await desktop.run(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell
      'pid=$(readlink ~/.config/chromium/SingletonLock); pid=${pid##*-}; kill -KILL $pid; while kill -0 $pid 2>/dev/null; do sleep 0.1; done; ln -sfn old-name-$pid ~/.config/chromium/SingletonLock',
    );
    await desktop.until(`! ${window} >/dev/null`);
    await desktop.run(start);
    await desktop.until(`${window} >/dev/null`);
    await desktop.run('wmctrl -c "of its own"');
    await desktop.until(`! ${window} >/dev/null`);
  },
);

thorough('a browser that crashes ends its connections, and starts again', async () => {
  const connect = () => chromium.connectOverCDP(endpoint(), { headers: headers(), timeout });
  const first = await connect();
  const version = first.version();
  await desktop.run('pkill -KILL -f "^/usr/lib/chromium/chromium .*config/vc-browser"');
  await eventually(async () => !first.isConnected());
  const second = await connect();
  expect(second.version()).toBe(version);
  await second.close();
});
