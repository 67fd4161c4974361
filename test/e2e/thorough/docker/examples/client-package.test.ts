import type { Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  type ClientPackage,
  clientChecks,
  type Target,
} from '../../../../support/client/checks.js';
import { openClientPage, serveClientPage } from '../../../../support/client/page.js';
import { noBrowser, openBrowser } from '../../../../support/screen/browser.js';
import { freePort } from '../../../../support/screen/ingest.js';
import { type Desktop, openDesktop } from '../../../../support/service/desktop.js';

const PACKAGE = new URL('../../../../../clients/typescript/dist/index.mjs', import.meta.url).href;
const { names } = clientChecks((await import(PACKAGE)) as ClientPackage, {
  ...{ baseUrl: 'http://127.0.0.1:1/api', apiKey: 'k', id: 'cmp_0' },
});

let desktop: Desktop;
let target: Target;
beforeAll(async () => {
  desktop = await openDesktop();
  const { baseUrl, apiKey } = desktop.service;
  target = { baseUrl, apiKey, id: desktop.id };
});
afterAll(() => desktop.close());

describe('in Node.js', () => {
  let checks: ReturnType<typeof clientChecks>;
  beforeAll(async () => {
    checks = clientChecks((await import(PACKAGE)) as ClientPackage, target);
  });
  afterAll(() => checks.close());

  it.each(names)('%s', (name) => checks.run(name));
});

describe.skipIf(noBrowser !== undefined)('in Chromium', () => {
  let browser: Browser;
  let page: Page;
  const closing: Server[] = [];
  const errors: string[] = [];
  beforeAll(async () => {
    const { pageOrigin } = inject('sharedService');
    closing.push(await serveClientPage(pageOrigin));
    browser = await openBrowser();
    page = await openClientPage(browser, pageOrigin, target);
    page.on('pageerror', (error) => errors.push(String(error)));
  });
  afterAll(async () => {
    await browser.close();
    for (const server of closing.splice(0)) server.close();
  });

  it.each(names)('%s', async (name) => {
    await page.evaluate(`checks.run(${JSON.stringify(name)})`);
    expect(errors).toEqual([]);
  });

  it('a page of another origin gets no answer, and its error says what to do', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    closing.push(await serveClientPage(origin));
    const stranger = await openClientPage(browser, origin, target);
    for (const name of names.slice(0, 4)) {
      const failed = stranger.evaluate(
        `checks.run(${JSON.stringify(name)}).catch(({ name, remedy }) => [name, remedy])`,
      );
      const refused = ['ServiceUnreachableError', expect.stringContaining('--allow-origin')];
      expect(await failed, name).toEqual(refused);
    }
  });
});
