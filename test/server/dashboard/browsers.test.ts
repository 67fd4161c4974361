// @module-tag slow
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildDashboard } from '../../../scripts/dashboard.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { describeUnless } from '../../support/run/needs.js';

const BUILT = new URL('../../../dist/dashboard/', import.meta.url);
/** Directory for pictures of the login; without it none are taken. */
const PICTURES = process.env.VC_TEST_PICTURES;

const BROWSERS = [
  ['chrome', process.env.VC_TEST_CHROMIUM ?? '/usr/bin/chromium'],
  ['firefox', process.env.VC_TEST_FIREFOX ?? '/usr/bin/firefox-esr'],
] as const;

for (const [name, executablePath] of BROWSERS) {
  const missing = existsSync(executablePath) ? undefined : `${executablePath} is missing`;
  describeUnless(missing)(`the web page in ${name}`, () => {
    let app: TestApp;
    let browser: Browser;
    let page: Page;
    let home: string;

    beforeAll(async () => {
      if (!existsSync(BUILT)) await buildDashboard();
      app = await openTestApp();
      home = mkdtempSync(join(tmpdir(), 'vc-browser-'));
      browser = await puppeteer.launch({
        browser: name,
        executablePath,
        args: name === 'chrome' ? ['--no-sandbox'] : [],
        env: { ...process.env, HOME: home },
        defaultViewport: { width: 1280, height: 800 },
        timeout: 120_000,
      });
    }, 180_000);
    afterAll(async () => {
      await browser?.close();
      await app?.close();
      if (home !== undefined) rmSync(home, { recursive: true, force: true });
    });
    // A page that still loads would delay or refuse the next test's navigation.
    beforeEach(async () => {
      page = await browser.newPage();
      page.setDefaultTimeout(60_000);
    }, 120_000);
    afterEach(async () => {
      await page.close();
      for (const cookie of await browser.cookies()) await browser.deleteCookie(cookie);
    }, 120_000);

    const open = (host: string, path: string) => page.goto(`http://${host}:${app.port}${path}`);
    const address = () => page.evaluate('location.href');
    const shown = (text: string) => page.locator(`::-p-text(${text})`).wait();
    const typeKey = async (key: string) => {
      await page.waitForFunction("document.activeElement?.name === 'key'");
      await page.keyboard.type(key);
      await page.keyboard.press('Enter');
    };

    it.each(['127.0.0.1', 'localhost'])(
      'logs in with a key at http://%s, returns to the page, and stays logged in over a restart',
      async (host) => {
        await open(host, '/keys');
        await typeKey(`${app.world.key}0`);
        await shown('This API key is not valid');
        // What was typed is selected, so that typing replaces it.
        await typeKey(app.world.key);
        await page.waitForSelector('h1::-p-text(Keys)');
        expect(await address()).toBe(`http://${host}:${app.port}/keys`);
        app = await app.restart();
        await page.reload();
        await page.waitForSelector('h1::-p-text(Keys)');
        expect(await page.$('input[name=key]')).toBeNull();
        await page.locator('button::-p-text(Log out)').click();
        await page.waitForSelector('input[name=key]');
        await page.reload();
        await page.waitForSelector('input[name=key]');
      },
      180_000,
    );

    it('logs in with a link, which leaves the address', async () => {
      const { json } = await app.send('POST', '/api/logins', {});
      await page.goto(String(json.url));
      await page.waitForSelector('h1::-p-text(Overview)');
      expect(await address()).toBe(`http://127.0.0.1:${app.port}/`);
    }, 120_000);

    it('asks for a key for a terminal, and returns to it', async () => {
      await open('127.0.0.1', '/terminal/cmp_none');
      await typeKey(app.world.key);
      await page.waitForSelector('body.terminal-page');
      expect(await address()).toBe(`http://127.0.0.1:${app.port}/terminal/cmp_none`);
    }, 120_000);

    it('follows no address of another site after a login', async () => {
      await open('127.0.0.1', '/login?to=//evil.example.com/');
      await typeKey(app.world.key);
      await page.waitForSelector('h1::-p-text(Overview)');
      expect(await address()).toBe(`http://127.0.0.1:${app.port}/`);
    }, 120_000);

    it('shows no earlier entries of another filter, which were asked for before it', async () => {
      for (let at = 0; at <= 200; at += 1) await app.send('DELETE', '/api/projects/none');
      await app.send('POST', '/api/projects', { body: { name: 'first' } });
      await open('127.0.0.1', '/activity');
      await typeKey(app.world.key);
      const more = page.locator('button::-p-text(Show earlier entries)');
      await more.wait();
      // Requests for earlier entries leave the page only when the test lets them.
      await page.evaluate(`{
        const send = window.fetch;
        const released = new Promise((resolve) => { window.release = resolve; });
        window.held = 0;
        window.fetch = async (path, ...rest) => {
          if (!path.includes('before=')) return send(path, ...rest);
          window.held += 1;
          await released;
          return send(path, ...rest).finally(() => { window.answered = true; });
        };
      }`);
      await more.click();
      await page.waitForFunction('window.held === 1');
      await page.select('select[aria-label="Any outcome"]', 'ok');
      await page.waitForFunction("!document.querySelector('tbody .bad')");
      const rows = await page.$$eval('tbody tr', ({ length }) => length);
      await page.evaluate('window.release()');
      await page.waitForFunction('window.answered');
      await page.evaluate('new Promise(requestAnimationFrame)');
      expect(await page.$$eval('tbody tr', ({ length }) => length)).toBe(rows);
    }, 120_000);

    it('shows the login in a narrow window, light and dark', async () => {
      await open('127.0.0.1', '/');
      await typeKey('vc_wrong');
      await shown('This API key is not valid');
      for (const width of [1280, 390]) {
        await page.setViewport({ width, height: 800 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        for (const scheme of PICTURES === undefined || name === 'firefox'
          ? []
          : ['light', 'dark']) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          mkdirSync(PICTURES ?? '', { recursive: true });
          await page.screenshot({ path: join(PICTURES ?? '', `login-${width}-${scheme}.png`) });
        }
      }
    }, 120_000);
  });
}
