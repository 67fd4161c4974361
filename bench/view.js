/**
 * Measures the latency of the live view in a real browser on this machine. Requires a Docker Engine
 * with the Linux image, Chromium and a built `dist`:
 *
 *   npm run build && node bench/view.js
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { row } from './measure.js';
import { withService } from './service.js';

/** Resolves with the time at which a pixel of the canvas changes its colour. */
function nextColor(page, x, y) {
  return page.evaluate(
    ([left, top]) => {
      const context = document.querySelector('#screen canvas').getContext('2d');
      const color = () => context.getImageData(left, top, 1, 1).data.join();
      const before = color();
      return new Promise((resolve) => {
        const look = () => (color() === before ? setTimeout(look, 1) : resolve(Date.now()));
        look();
      });
    },
    [x, y],
  );
}

await withService({}, async ({ vc }) => {
  const computer = await vc.computers.create('bench', { name: 'view' });
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  try {
    // A terminal that turns red or blue when a key is pressed.
    const flip = `while IFS= read -rsn1 k; do case $k in r) c=255;; *) c=0;; esac; printf "\\\\e[48;2;$c;0;90m\\\\e[2J"; done`;
    const fill = (geometry) =>
      `pkill -x xterm; printf '%s' '${flip}' > /tmp/flip.sh; xterm -geometry ${geometry} -b 0 +sb -e bash /tmp/flip.sh >/dev/null 2>&1 & sleep 1.5`;
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto((await computer.view()).url);
    await page.waitForSelector('body[data-state="live"]');
    const report = [];
    for (const [what, geometry, x, y] of [
      ['key to small window repainted', '20x5+300+300', 360, 345],
      ['key to nearly the whole screen repainted', '135x38+5+30', 600, 400],
    ]) {
      await computer.bash(fill(geometry));
      await computer.wait({ until: 'stable' });
      const times = [];
      for (let i = 0; i < 40; i++) {
        await sleep(300);
        const seen = nextColor(page, x, y);
        await sleep(50);
        const startedAt = Date.now();
        await computer.type(i % 2 === 0 ? 'r' : 'b');
        times.push((await seen) - startedAt);
      }
      report.push(row(what, times.slice(2)));
    }
    console.table(report);
  } finally {
    await browser.close();
  }
});
