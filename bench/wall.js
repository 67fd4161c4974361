/**
 * Measures the wall of the web page with many computers, of which a quarter changes each second: the
 * processor time of the service while the page is open, and the frames per second while it scrolls.
 * Requires Chromium, a Docker Engine with the Linux image and a built `dist`. 100 computers need 12 GB
 * of memory and some minutes:
 *
 *   npm run build && node bench/wall.js [COMPUTERS] [SECONDS]
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { memory, processorTime, withService } from './service.js';

const count = Number(process.argv[2] ?? 100);
const seconds = Number(process.argv[3] ?? 60);
/** Computers that are created at the same time. */
const AT_ONCE = 4;
/** Every so many-th computer shows a clock. */
const CLOCK_EVERY = 4;
const SCROLL_SECONDS = 10;
const GOALS = { processor: 10, frames: 50 };
const CLOCK = 'while :; do date; sleep 1; done';

/** Percent of a core that the process uses. */
async function load(pid, duration) {
  const [time, began] = [processorTime(pid), performance.now()];
  await sleep(duration * 1000);
  return ((processorTime(pid) - time) / (performance.now() - began)) * 1e5;
}

async function createComputers(vc) {
  let next = 0;
  const one = async () => {
    while (next < count) {
      const at = next++;
      const name = `computer-${String(at).padStart(3, '0')}`;
      const computer = await vc.computers.create('bench', { name });
      if (at % CLOCK_EVERY === 0) await computer.bash(`xterm -e '${CLOCK}' >/dev/null 2>&1 &`);
      if (at % 10 === 9) console.log(`${at + 1} computers`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Scrolls the page up and down, and returns the times of its frames in milliseconds. */
function scroll(page) {
  return page.evaluate(
    (duration) =>
      new Promise((resolve) => {
        const times = [];
        let step = 24;
        const frame = (at) => {
          times.push(at);
          if (at - times[0] >= duration) return resolve(times);
          const before = scrollY;
          scrollBy(0, step);
          if (scrollY === before) step = -step;
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    SCROLL_SECONDS * 1000,
  );
}

function framesOf(times) {
  const gaps = times.slice(1).map((time, at) => time - times[at]);
  gaps.sort((a, b) => a - b);
  const lasting = times.at(-1) - times[0];
  return {
    'frames/s': Math.round((gaps.length / lasting) * 10_000) / 10,
    'p99, ms': Math.round(gaps[Math.floor(gaps.length * 0.99)]),
    'longest, ms': Math.round(gaps.at(-1)),
  };
}

const flags = ['--max-running', String(count), '--spares', '0'];
await withService({ flags }, async ({ vc, pid }) => {
  const began = performance.now();
  await createComputers(vc);
  console.log(`created in ${Math.round((performance.now() - began) / 1000)} s`);
  await sleep(10_000);
  const without = await load(pid, seconds / 2);
  const browser = await chromium.launch({
    executablePath: process.env.VC_TEST_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
    const pictures = [];
    page.on('request', (request) => {
      if (request.url().includes('/thumbnail')) pictures.push(request.url());
    });
    const { url } = await vc.keys.createLogin();
    await page.goto(url);
    await page
      .locator('.tile')
      .nth(count - 1)
      .waitFor({ state: 'attached' });
    await page.locator('.tile img').first().waitFor();
    await sleep(5_000);
    const before = pictures.length;
    const shown = await load(pid, seconds);
    const read = (pictures.length - before) / seconds;
    const scrolling = framesOf(await scroll(page));
    console.table([
      {
        computers: count,
        'service without a page, % of a core': without.toFixed(1),
        'with the wall': shown.toFixed(1),
        'pictures/s': read.toFixed(1),
        ...scrolling,
        'service, MB': memory(pid, 'VmRSS'),
      },
    ]);
    console.log(`load average: ${loadavg()[0].toFixed(1)}`);
    if (shown > GOALS.processor) console.log(`more than ${GOALS.processor} % of a core`);
    if (scrolling['frames/s'] < GOALS.frames) console.log(`fewer than ${GOALS.frames} frames/s`);
  } finally {
    await browser.close();
  }
});
