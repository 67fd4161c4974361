import { Pool } from 'undici';

/** Computers that are created at the same time. */
export const AT_ONCE = 3;

async function withPool(side, connections, work) {
  const limits = { headersTimeout: 600_000, bodyTimeout: 600_000 };
  const pool = new Pool(new URL(side.service.url).origin, { connections, ...limits });
  try {
    return await work(pool);
  } finally {
    await pool.destroy();
  }
}

/** Creates computers and returns their ids. */
export async function createAll(side, count, prefix) {
  const ids = [];
  let next = 0;
  await withPool(side, AT_ONCE, async (pool) => {
    const one = async () => {
      while (next < count) ids.push(await side.create(`${prefix}-${next++}`, pool));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  });
  return ids;
}

/** Deletes them all at once. */
export async function removeAll(side, ids) {
  await withPool(side, ids.length, (pool) => Promise.all(ids.map((id) => side.remove(id, pool))));
}
