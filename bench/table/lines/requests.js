import { quantiles } from '../../measure.js';
import { openHttpEcho } from '../floors/http-echo.js';
import { openFence } from '../floors/rfb-fence.js';
import { openSsh } from '../floors/ssh-channel.js';
import { getAtOnce } from '../load.js';
import { inTurn, ms } from '../report.js';

const ROUNDS = 300;
const WARM = 50;
const CONNECTIONS = 32;
const SECONDS = 2;
const TURNS = 5;

/** Medians of single requests, one after the other. */
export async function measureRequests(sides) {
  const last = sides.at(-1);
  const echo = await openHttpEcho();
  const fence = await openFence(last.engine, last.container);
  const ssh = await openSsh(last.engine, last.container);
  const kinds = {
    health: { ask: (side) => side.call('GET', '/health'), floor: ['HTTP echo', echo.get] },
    'GET a computer': {
      ask: (side) => side.call('GET', side.path),
      floor: ['HTTP echo', echo.get],
    },
    click: {
      ask: (side, i) => side.call('POST', `${side.path}/click`, { x: 600 + (i % 50), y: 400 }),
      floor: ['RFB fence', (i) => fence.click(600 + (i % 50), 400)],
    },
    'bash true': {
      ask: (side) => side.call('POST', `${side.path}/bash`, { command: 'true' }),
      floor: ['SSH channel', () => ssh.run('true')],
    },
  };
  const medians = {};
  const rows = [];
  for (const [what, { ask, floor }] of Object.entries(kinds)) {
    const works = sides.map((side) => (i) => ask(side, i));
    const times = await inTurn([...works, floor[1]], ROUNDS, WARM);
    const all = times.map((each) => quantiles(each).p50);
    const [values, least] = [all.slice(0, -1), all.at(-1)];
    medians[what] = values.at(-1);
    const goal = goals[what]?.(medians, least);
    rows.push({ what: `${what}, p50`, values, unit: ms, floor: floor[0], least, goal });
  }
  rows.push(await measureThroughput(sides, echo));
  ssh.close();
  fence.close();
  await echo.close();
  return rows;
}

/** The most that the median of this checkout may be. */
const goals = {
  click: ({ health }) => ({ text: '2 times health', most: 2 * health }),
  'bash true': (_medians, least) => ({ text: '1.3 times the floor', most: 1.3 * least }),
};

async function measureThroughput(sides, echo) {
  const targets = [
    ...sides.map((side) => [new URL(`/api${side.path}`, side.service.url), side.authorization]),
    [echo.url],
  ];
  const rates = targets.map(() => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [at, [url, authorization]] of targets.entries()) {
      const options = { authorization, connections: CONNECTIONS, seconds: SECONDS };
      rates[at].push(await getAtOnce(url, options));
    }
  }
  const medians = rates.map((each) => quantiles(each).p50);
  return {
    what: `GET a computer on ${CONNECTIONS} connections`,
    values: medians.slice(0, sides.length),
    unit: (rate) => `${Math.round(rate)}/s`,
    floor: 'HTTP echo',
    least: medians.at(-1),
    goal: { text: '6000/s', least: 6000 },
  };
}
