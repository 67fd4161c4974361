import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { quantiles } from '../../measure.js';
import { inOrder, ms } from '../report.js';

const ROUNDS = 10;
const QUIET_MS = 2_000;
const MANY = 40;
const AT_ONCE = 3;
const DELETED = 16;
const seconds = (value) => `${(value / 1000).toFixed(1)} s`;

/** Creation without a warm pool, of one computer and of many, and deletion of many. */
export async function measureCreation(sides) {
  const found = sides.map(() => []);
  for (let round = -1; round < ROUNDS; round++) {
    for (const at of inOrder(sides.length, round)) {
      await sleep(QUIET_MS);
      const startedAt = performance.now();
      const id = await sides[at].create(`one-${round + 1}`);
      if (round >= 0) found[at].push(performance.now() - startedAt);
      await sides[at].remove(id);
    }
  }
  const many = [];
  for (const side of sides) many.push(await createAndDelete(side));
  return [
    {
      what: 'create to ready, without a warm pool, p50',
      ...{ values: found.map((times) => quantiles(times).p50), unit: ms },
      goal: { text: ms(1_000), most: 1_000 },
    },
    {
      what: `${MANY} computers, ${AT_ONCE} at a time`,
      ...{ values: many.map(({ created }) => created), unit: seconds },
    },
    {
      what: `${DELETED} deleted at once`,
      ...{ values: many.map(({ deleted }) => deleted), unit: seconds },
    },
  ];
}

async function createAndDelete(side) {
  const connections = new Pool(new URL(side.service.url).origin, { connections: DELETED });
  const names = Array.from({ length: MANY }, (_, index) => `many-${index}`);
  const ids = [];
  const createNext = async () => {
    for (let name = names.pop(); name; name = names.pop()) {
      ids.push(await side.create(name, {}, connections));
    }
  };
  let startedAt = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, createNext));
  const created = performance.now() - startedAt;
  startedAt = performance.now();
  await Promise.all(ids.splice(0, DELETED).map((id) => side.remove(id, connections)));
  const deleted = performance.now() - startedAt;
  for (const id of ids) await side.remove(id);
  await connections.close();
  return { created, deleted };
}
