import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { PROXY_HOST } from '../tls/proxy-host.js';

const EXECUTABLE = process.env.VC_TEST_CHROMIUM ?? '/usr/bin/chromium';

/** The reason why there is no browser for the tests; undefined if there is one. */
export const noBrowser = existsSync(EXECUTABLE)
  ? undefined
  : `${EXECUTABLE} is missing; on Debian: apt-get install chromium`;

/** A Chromium with an empty profile and without background traffic. */
export async function openBrowser(): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), 'vc-browser-'));
  const browser = await chromium.launch({
    env: { ...process.env, HOME: home },
    executablePath: EXECUTABLE,
    args: [
      '--no-sandbox',
      `--host-resolver-rules=MAP ${PROXY_HOST} 127.0.0.1`,
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  browser.once('disconnected', () => rmSync(home, { recursive: true, force: true }));
  return browser;
}

/** A page, and all errors that the browser reports about it. */
export async function openPage(browser: Browser, url: string) {
  // Large enough for the desktop at its real size below the bar, so that pixels can be compared.
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, complaints, requests };
}

/** Rejects with what the page shows when it is not live in time, or has ended. */
export async function live(page: Page): Promise<void> {
  const state = page.locator('body[data-state="live"], body[data-state="closed"]');
  await state.waitFor({ timeout: 60_000 }).catch(() => undefined);
  if ((await page.getAttribute('body', 'data-state')) === 'live') return;
  throw new Error(`The view is not live; the page shows: ${await page.innerText('body')}`);
}

/** A desktop's point in page coordinates. */
export async function pointOn(page: Page, x: number, y: number): Promise<[number, number]> {
  const canvas = page.locator('#screen canvas');
  const box = await canvas.boundingBox();
  const size = await canvas.evaluate((element) => {
    const { width, height } = element as unknown as { width: number; height: number };
    return { width, height };
  });
  if (box === null) throw new Error('the page shows no desktop');
  return [
    box.x + ((x + 0.5) * box.width) / size.width,
    box.y + ((y + 0.5) * box.height) / size.height,
  ];
}

/** The pixels of the page's canvas, as red, green, blue. */
export async function canvasPixels(page: Page): Promise<Buffer> {
  const url = await page.locator('#screen canvas').evaluate((element) => {
    return (element as unknown as { toDataURL(type: string): string }).toDataURL('image/png');
  });
  const png = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  return sharp(png).removeAlpha().raw().toBuffer();
}
