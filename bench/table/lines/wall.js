import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { openPage, openWebBrowser, percent, processorShare } from './web-page.js';

const MANY = 100;
const AT_ONCE = 3;
const QUIET_MS = 20_000;
const SCROLL_MS = 5_000;

/** The wall with many running computers. Takes 15 GB of memory. */
export async function measureWall(sides) {
  const found = [];
  for (const side of sides) found.push(await ofSide(side));
  const row = (what, name, rest) => ({ what, values: found.map((one) => one[name]), ...rest });
  return [
    row(`processor of the service, ${MANY} running computers on the wall`, 'open', {
      unit: percent,
      goal: { text: percent(10), most: 10 },
    }),
    row('the same without the page', 'closed', { unit: percent }),
    row('frames a second while the wall is scrolled (goal: 50 or more)', 'frames', {
      unit: (value) => value.toFixed(0),
    }),
  ];
}

async function ofSide(side) {
  const connections = new Pool(new URL(side.service.url).origin, { connections: AT_ONCE });
  const browser = await openWebBrowser();
  const ids = [];
  let left = MANY;
  const createNext = async () => {
    while (left > 0) ids.push(await side.create(`wall-${left--}`, {}, connections));
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, createNext));
    await sleep(QUIET_MS);
    const closed = await processorShare(side);
    const { page } = await openPage(browser, side);
    await page.setViewportSize({ width: 1920, height: 1080 });
    await page.waitForFunction(() => document.querySelectorAll('.tile img').length >= 12);
    const open = await processorShare(side);
    const frames = await page.evaluate(framesWhileScrolling, SCROLL_MS);
    return { open, closed, frames };
  } finally {
    await browser.close();
    for (const id of ids) await side.remove(id, connections);
    await connections.close();
  }
}

/** Runs in the page: scrolls down and up, and counts frames. */
function framesWhileScrolling(ms) {
  return new Promise((resolve) => {
    const started = performance.now();
    let frames = 0;
    const next = (now) => {
      const part = (now - started) / ms;
      if (part >= 1) return resolve((1000 * frames) / (now - started));
      frames += 1;
      const height = document.documentElement.scrollHeight - innerHeight;
      scrollTo(0, height * (1 - Math.abs(1 - 2 * Math.max(0, part))));
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}
