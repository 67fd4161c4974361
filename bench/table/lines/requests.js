import { quantiles } from '../../measure.js';
import { openHttpEcho } from '../floors/http-echo.js';
import { openFence } from '../floors/rfb-fence.js';
import { openSsh } from '../floors/ssh-channel.js';
import { getAtOnce } from '../load.js';
import { inTurn, ms } from '../report.js';

const ROUNDS = 300;
/** By then V8 has compiled the code of a path that runs in the service itself. */
const WARM = 2_000;
const WARM_BASH = 50;
const CONNECTIONS = 32;
const SECONDS = 2;
const TURNS = 5;

/** Medians of single requests, one after the other, and the throughput. */
export async function measureRequests(sides) {
  const { engine, container } = sides.at(-1);
  const opened = [];
  const open = async (floor) => {
    opened.push(await floor);
    return opened.at(-1);
  };
  try {
    const echo = await open(openHttpEcho());
    const fence = await open(openFence(engine, container));
    const ssh = await open(openSsh(engine, container));
    const rows = [];
    for (const kind of kindsOf({ echo, fence, ssh })) rows.push(await measureKind(sides, kind));
    return [...rows, await measureThroughput(sides, echo)];
  } finally {
    for (const floor of opened) await floor.close();
  }
}

const health = (side) => side.call('GET', '/health');

function kindsOf({ echo, fence, ssh }) {
  const x = (i) => 600 + (i % 50);
  return [
    { what: 'health', ask: health, floor: 'HTTP echo', bare: echo.get },
    {
      what: 'GET a computer',
      ask: (side) => side.call('GET', side.path),
      ...{ floor: 'HTTP echo', bare: echo.get },
    },
    {
      what: 'click',
      ask: (side, i) => side.call('POST', `${side.path}/click`, { x: x(i), y: 400 }),
      ...{ floor: 'RFB fence', bare: (i) => fence.click(x(i), 400) },
      // In turn with the click: the load of the host changes from one line to the next.
      beside: health,
      goal: ({ beside }) => ({ text: `2 times health in turn, ${ms(beside)}`, most: 2 * beside }),
    },
    {
      what: 'bash true',
      warm: WARM_BASH,
      ask: (side) => side.call('POST', `${side.path}/bash`, { command: 'true' }),
      ...{ floor: 'SSH channel', bare: () => ssh.run('true') },
      goal: ({ least }) => ({ text: '1.3 times the floor', most: 1.3 * least }),
    },
  ];
}

async function measureKind(sides, { what, ask, floor, bare, beside, goal, warm = WARM }) {
  const works = [...sides.map((side) => (i) => ask(side, i)), bare];
  if (beside !== undefined) works.push(() => beside(sides.at(-1)));
  const medians = (await inTurn(works, ROUNDS, warm)).map((times) => quantiles(times).p50);
  const values = medians.slice(0, sides.length);
  const [least, reference] = medians.slice(sides.length);
  const wanted = goal?.({ least, beside: reference });
  return { what: `${what}, p50`, values, unit: ms, floor, least, goal: wanted };
}

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
