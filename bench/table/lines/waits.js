import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../../measure.js';
import { processorTime } from '../../service.js';

const SECONDS = 30;
const ROUNDS = 3;
const MOST = 1;
const CONDITIONS = {
  port: { port: 8000 },
  file: { file: '/home/user/never' },
  window: { window: 'never' },
  command: { command: 'false' },
  element: { element: { name: 'never' } },
  text: { text: 'never' },
};
const percent = (value) => `${value.toFixed(1)} %`;

/**
 * What a wait of 30 s on a still screen takes of a processor in the service, for each condition, above
 * what the service took in the 30 s before it.
 */
export async function measureWaits(sides) {
  const found = await Promise.all(sides.map(ofSide));
  return Object.keys(found[0]).map((name) => ({
    what: `processor of the service, 30 s without change: ${name}`,
    ...{ values: found.map((shares) => quantiles(shares[name]).p50), unit: percent },
    ...(name !== IDLE && { goal: { text: `${MOST} %`, most: MOST } }),
  }));
}

const IDLE = 'no wait';

async function ofSide(side) {
  const share = async (work) => {
    const before = processorTime(side.service.pid);
    await work();
    return (100 * (processorTime(side.service.pid) - before)) / SECONDS;
  };
  const shares = { [IDLE]: [] };
  for (const [name, until] of Object.entries(CONDITIONS)) {
    const wait = (timeout) =>
      side.call('POST', `${side.path}/wait`, { until, timeout }).then(
        () => Promise.reject(new Error(`${name} was met`)),
        (error) => {
          if (!error.message.includes('Not met within')) throw error;
        },
      );
    // The first one opens connections and loads code.
    await wait(2);
    shares[name] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const idle = await share(() => sleep(SECONDS * 1000));
      shares[IDLE].push(idle);
      shares[name].push((await share(() => wait(SECONDS))) - idle);
    }
  }
  return shares;
}
