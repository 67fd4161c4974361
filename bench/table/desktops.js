import { Pool } from 'undici';

/** Computers that are created at the same time. */
const AT_ONCE = 3;

/** Creates computers and returns their ids. */
export async function createAll(side, count, prefix) {
  const pool = new Pool(new URL(side.service.url).origin, { connections: AT_ONCE });
  const ids = [];
  let next = 0;
  const one = async () => {
    while (next < count) ids.push(await side.create(`${prefix}-${next++}`, pool));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  await pool.close();
  return ids;
}

/** Deletes them all at once. */
export async function removeAll(side, ids) {
  const pool = new Pool(new URL(side.service.url).origin, { connections: ids.length });
  await Promise.all(ids.map((id) => side.call('DELETE', `/computers/${id}`, undefined, pool)));
  await pool.close();
}
