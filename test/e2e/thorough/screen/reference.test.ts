import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeUnless } from '../../../support/run/needs.js';
import { noBrowser, openBrowser, openPage } from '../../../support/screen/browser.js';
import { connectSharedService, type ServiceClient } from '../../../support/service/service.js';

describeUnless(noBrowser)('the reference in a browser', () => {
  let service: ServiceClient & { close(): Promise<void> };
  let browser: Browser;
  beforeAll(async () => {
    service = connectSharedService();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it('loads without a complaint, filters, and fits narrow and wide windows', async () => {
    const { page, complaints, requests } = await openPage(browser, `${service.baseUrl}/docs`);
    expect(requests.length).toBeGreaterThan(2);
    expect(requests.filter((url) => !url.startsWith(`${service.baseUrl}/docs`))).toEqual([]);
    const visible = () => page.locator('nav li:visible').count();
    const all = await visible();
    await page.locator('#filter').fill('screenshot');
    expect(await visible()).toBeGreaterThan(0);
    expect(await visible()).toBeLessThan(10);
    await page.locator('#filter').fill('');
    expect(await visible()).toBe(all);
    await page.locator('nav a[href="#click"]').click();
    expect(await page.locator('article:target h3').innerText()).toBe('Click with the mouse');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect(overflow, `${colorScheme}, ${width} pixels`).toBe(0);
      }
    }
    expect(complaints).toEqual([]);
  });
});
