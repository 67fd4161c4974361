/**
 * Measures a turn of a model over `computer-use` and over MCP on stdin and stdout, compared with the
 * same by single operations in turn with it, on one computer; and the list of elements of a desktop
 * with an editor and a browser. Requires a Docker Engine with the Linux image and a built `dist`:
 *
 *   npm run build && node bench/agents.js
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { quantiles, row } from './measure.js';
import { withService } from './service.js';

/** Most that a turn should take of the time of the same operations. */
const MOST = 1.3;
/** The same over MCP. */
const MOST_MCP = 1.5;
/** Most milliseconds for a list of elements. */
const MOST_ELEMENTS_MS = 1_000;
const VC = new URL('../bin/vc.js', import.meta.url).pathname;

await withService({}, async ({ vc, baseUrl, apiKey }) => {
  const computer = await vc.computers.create('bench', { name: 'agents' });
  await computer.wait({ until: 'stable' });
  const mcp = new Client({ name: 'bench', version: '1.0.0' });
  await mcp.connect(
    new StdioClientTransport({
      ...{ command: process.execPath, args: [VC, 'mcp'] },
      env: { ...process.env, VC_BASE_URL: baseUrl, VC_API_KEY: apiKey },
    }),
  );
  const act = async (...actions) => {
    const answer = await mcp.callTool({
      name: 'act',
      arguments: { computer: 'bench/agents', actions },
    });
    if (answer.isError) throw new Error(JSON.stringify(answer.content));
  };
  let id = 0;
  const call = (actions) => ({ type: 'computer_call', call_id: `call_${++id}`, actions });
  const click = { type: 'click', x: 900, y: 600, button: 'left' };
  const pictureOf = async (options) => (await computer.screenshot(options)).length;
  const settled = async () => {
    await computer.click(900, 600);
    await pictureOf({ cursor: true, settle: true });
  };
  /** What is compared: a turn, the same without it, and the limit if it is another one. */
  const pairs = {
    'click with its picture': [
      () => computer.computerUse([call([click])], { settle: false }),
      async () => {
        await computer.click(900, 600);
        await pictureOf({ cursor: true });
      },
    ],
    'click with its picture, settled': [() => computer.computerUse([call([click])]), settled],
    'click with its picture over MCP, settled': [
      () => act({ action: 'click', x: 900, y: 600 }),
      settled,
      MOST_MCP,
    ],
    'ten moves with one picture': [
      () =>
        computer.computerUse(
          [call(Array.from({ length: 10 }, (_, n) => ({ type: 'move', x: 100 + n, y: 100 })))],
          { settle: false },
        ),
      async () => {
        for (let n = 0; n < 10; n++) await computer.move(100 + n, 100);
        await pictureOf({ cursor: true });
      },
    ],
  };
  const report = [];
  for (const [what, [turn, single, most = MOST]] of Object.entries(pairs)) {
    const times = [[], []];
    for (let round = -3; round < 40; round++) {
      for (const [index, work] of [turn, single].entries()) {
        const startedAt = performance.now();
        await work();
        if (round >= 0) times[index].push(performance.now() - startedAt);
      }
    }
    const [own, other] = times;
    const share = quantiles(own).p50 / quantiles(other).p50;
    const { ratio: _, ...line } = row(what, own, { name: 'single operations', times: other });
    report.push({ ...line, share: share.toFixed(2), most });
    if (share > most) process.exitCode = 1;
  }
  console.table(report);

  const page = Array.from({ length: 200 }, (_, n) => `<button>button ${n}</button>`).join(' ');
  await computer.bash('setsid mousepad >/dev/null 2>&1 &');
  await computer.files.write('/tmp/page.html', page);
  await computer.browser({ url: 'file:///tmp/page.html' });
  const deadline = performance.now() + 60_000;
  let count = 0;
  while (count < 200 && performance.now() < deadline) {
    ({ length: count } = (await computer.find({ role: 'button' })).elements);
  }
  const times = [];
  for (let round = -3; round < 20; round++) {
    const startedAt = performance.now();
    ({ length: count } = (await computer.elements({ limit: 250 })).elements);
    if (round >= 0) times.push(performance.now() - startedAt);
  }
  const { p50, p95 } = quantiles(times);
  console.table([
    {
      ...{ what: `${count} elements of an editor and a browser`, most: `${MOST_ELEMENTS_MS} ms` },
      ...{ p50: `${Math.round(p50)} ms`, p95: `${Math.round(p95)} ms` },
    },
  ]);
  await mcp.close();
  if (p50 > MOST_ELEMENTS_MS || count < 200) process.exitCode = 1;
});
