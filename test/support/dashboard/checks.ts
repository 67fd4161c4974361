import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';
import { eventually } from '../eventually.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/**
 * Directory for pictures of each page; without it none are taken. With VC_TEST_PICTURES_LARGE also of
 * a window of 4K.
 */
const PICTURES = process.env.VC_TEST_PICTURES;
const SCHEMES = ['dark', 'light'] as const;
const USUAL = { width: 1280, height: 800 };
const NARROW = { width: 360, height: 740 };
const LARGE = { width: 3840, height: 2160 };

export interface Watched {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and warnings of the console, exceptions, and violations of the policy. */
  readonly complaints: string[];
}

/** A page of an own session, with all that the browser complains about. */
export async function openWatched(browser: Browser): Promise<Watched> {
  const context = await browser.newContext({
    viewport: USUAL,
    // That of a test's proxy.
    ignoreHTTPSErrors: true,
    permissions: ['clipboard-read', 'clipboard-write'],
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    // Another test may stop a computer while its picture is read.
    if (message.location().url.includes('/thumbnail?')) return;
    complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy violated: ' + event.violatedDirective))",
  );
  return { context, page, complaints };
}

/**
 * Checks what the page shows for accessibility, in dark and light, and that a narrow window shows it
 * without scrolling sideways; takes pictures if asked.
 */
export async function inspect(page: Page, name: string): Promise<void> {
  const usual = page.viewportSize() ?? USUAL;
  await page.setViewportSize(NARROW);
  const isNarrow = () =>
    page.evaluate<boolean>(`document.documentElement.scrollWidth <= ${NARROW.width}`);
  // A live view is drawn again in its new size.
  const fits = await eventually(isNarrow, 3_000).catch(() => false);
  expect.soft(fits, `${name} fits ${NARROW.width} pixels`).toBe(true);
  await takePictures(page, `${name}-narrow`);
  if (PICTURES !== undefined && process.env.VC_TEST_PICTURES_LARGE !== undefined) {
    await page.setViewportSize(LARGE);
    await takePictures(page, `${name}-large`);
  }
  await page.setViewportSize(usual);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    expect.soft(await violations(page), `${name}, ${colorScheme}`).toEqual([]);
  }
  await takePictures(page, name);
}

async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not concern.
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(AXE);
  const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => id + ': ' + html.slice(0, 200) + ' ' + (any[0]?.message ?? ''))))`);
  return found as string[];
}

async function takePictures(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  // The page and the screen in it are drawn in their new size.
  await page.evaluate(
    'new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn), 300))',
  );
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    const png = await page.screenshot();
    await sharp(png)
      .webp({ quality: 82 })
      .toFile(join(PICTURES, `${name}-${colorScheme}.webp`));
  }
}
