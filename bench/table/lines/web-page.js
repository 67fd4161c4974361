import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { quantiles } from '../../measure.js';
import { processorTime } from '../../service.js';
import { ms } from '../report.js';

const EXECUTABLE = process.env.VC_TEST_CHROMIUM ?? '/usr/bin/chromium';
const SECONDS = 20;
const TURNS = 5;
/** Computers on the wall whose pictures change all the time. */
const ON_WALL = 8;
const PRINT = "xterm -geometry 100x30+100+100 -e 'while :; do date +%N; sleep 0.005; done'";
/** 400 ms there and back, 50 KB a second. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
export const percent = (value) => `${value.toFixed(1)} %`;

/** A browser without a window. */
export function openWebBrowser() {
  return chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox'] });
}

/** The web page in Chromium: the service's processor time for it, and its first pictures on a slow line. */
export async function measureWebPage(sides) {
  const found = [];
  for (const side of sides) found.push(await ofSide(side));
  const row = (what, name, unit, goal) => ({
    ...{ what, unit, values: found.map((one) => one[name]) },
    goal: { text: unit(goal), most: goal },
  });
  return [
    row('processor of the service, live view of a terminal that prints', 'view', percent, 20),
    row(`the same, ${ON_WALL} of them on the wall`, 'wall', percent, 10),
    row('slow line, login to the first tile, p50', 'tile', ms, 2_000),
    row('slow line, tile to the live view, p50', 'live', ms, 3_500),
  ];
}

async function ofSide(side) {
  const browser = await openWebBrowser();
  const ids = [side.id];
  try {
    const usual = await openPage(browser, side);
    await usual.tile.waitFor();
    const slow = [];
    for (let turn = 0; turn < TURNS; turn++) slow.push(await onSlowLine(browser, side));
    while (ids.length < ON_WALL) ids.push(await side.create(`page-${ids.length}`));
    const run = (id, command) => side.call('POST', `/computers/${id}/bash`, { command });
    for (const id of ids) await run(id, `${PRINT} >/dev/null 2>&1 &`);
    const wall = await processorShare(side);
    await usual.page.goto(new URL(`/computers/${side.id}`, usual.page.url()).href);
    await usual.page.locator('.screen[data-state="live"] canvas').waitFor();
    const view = await processorShare(side);
    const median = (name) => quantiles(slow.map((one) => one[name])).p50;
    await run(side.id, 'pkill -x xterm; true');
    return { wall, view, tile: median('tile'), live: median('live') };
  } finally {
    for (const id of ids.slice(1)) await side.remove(id);
    await browser.close();
  }
}

/** The service's share of a processor in the next seconds, in percent. */
export async function processorShare(side) {
  await sleep(3_000);
  const before = processorTime(side.service.pid);
  await sleep(SECONDS * 1000);
  return (100 * (processorTime(side.service.pid) - before)) / SECONDS;
}

/** Milliseconds to the first picture of a computer, and from it to its live view. */
async function onSlowLine(browser, side) {
  const began = performance.now();
  const { page, tile } = await openPage(browser, side, SLOW);
  // waitFor() looks only every half second after a while.
  await page.waitForFunction(() => document.querySelector('.tile img'));
  const shown = performance.now();
  await tile.click();
  await page.locator('.screen[data-state="live"] canvas').waitFor();
  const live = performance.now() - shown;
  await page.context().close();
  return { tile: shown - began, live };
}

/** The page with all computers, in a session and with a cache of its own. */
export async function openPage(browser, side, line) {
  const { url } = JSON.parse(await side.call('POST', '/logins', {}));
  const page = await (await browser.newContext()).newPage();
  if (line !== undefined) {
    const debug = await page.context().newCDPSession(page);
    await debug.send('Network.enable');
    await debug.send('Network.emulateNetworkConditions', line);
  }
  const link = new URL(url);
  link.pathname = '/computers';
  await page.goto(link.href);
  return { page, tile: page.locator('.tile img').first() };
}
