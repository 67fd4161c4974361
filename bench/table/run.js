/**
 * Prints each line of the table of docs/performance.md: another checkout and this one in turn, the
 * floor beside them, and the goal. Each side has a Docker Engine of its own and the image of its own
 * recipe. Run as root, with both checkouts built:
 *
 *   npm run bench -- [--before CHECKOUT] [--desktops N] [LINES…]
 *
 * Lines: requests, files, memory, deletions. Without --before it measures this checkout only.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureDeletions } from './lines/deletions.js';
import { measureFiles } from './lines/files.js';
import { measureMemory } from './lines/memory.js';
import { measureRequests } from './lines/requests.js';
import { format } from './report.js';
import { openSide } from './side.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    before: { type: 'string' },
    desktops: { type: 'string', default: '100' },
  },
});
const desktops = Number(options.desktops);
const LINES = {
  requests: measureRequests,
  files: measureFiles,
  memory: measureMemory,
  deletions: (sides) => measureDeletions(sides, desktops),
};
const chosen = positionals.length > 0 ? positionals : Object.keys(LINES);
const unknown = chosen.find((name) => !(name in LINES));
if (unknown !== undefined) throw new Error(`no lines ${unknown}; use ${Object.keys(LINES)}`);

const sides = [];
try {
  if (options.before !== undefined) {
    sides.push(await openSide('before', options.before, 'bench-docker-before'));
  }
  const here = new URL('../..', import.meta.url).pathname;
  sides.push(await openSide('after', here, 'bench-docker'));
  const rows = [];
  for (const name of chosen) rows.push(...(await LINES[name](sides)));
  console.table(rows.map(format));
  console.log(`load average: ${loadavg()[0].toFixed(1)}`);
} finally {
  for (const side of sides) await side.close();
}
