import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { allocateId, idsOfHost, isIn, USER_IDS } from '../../src/engines/user-ids.js';
import { itUnless } from '../support/run/needs.js';

const notRoot = process.getuid?.() === 0 ? undefined : 'only root can act as another user';

it('allocates free ids, none of them twice', () => {
  const range = { first: 10, end: 20 };
  const isTaken = (id: number) => id % 2 === 0;
  const ids = Array.from({ length: 5 }, () => allocateId(range, isTaken));
  expect(ids.sort()).toEqual([11, 13, 15, 17, 19]);
  expect(() => allocateId(range, isTaken)).toThrow('no user id from 10 to 19 is free');
});

it('each engine has its own range, within signed 32-bit numbers', () => {
  const ranges = Object.values(USER_IDS).sort((a, b) => a.first - b.first);
  for (const [index, { first, end }] of ranges.entries()) {
    expect(first).toBeLessThan(end);
    expect(first).toBeGreaterThanOrEqual(ranges[index - 1]?.end ?? 2_000_200_000);
    expect(end).toBeLessThan(2_147_352_576);
  }
});

it('finds the users of the host', async () => {
  const isOfHost = await idsOfHost();
  expect(isOfHost(0)).toBe(true);
  expect(isOfHost(2_099_999_999)).toBe(false);
});

itUnless(notRoot)('finds the users of running processes', async () => {
  const uid = allocateId(USER_IDS.docker, () => false);
  expect(isIn(USER_IDS.docker, uid)).toBe(true);
  const child = spawn('cat', { uid, gid: uid, stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  expect((await idsOfHost())(uid)).toBe(true);
  child.kill();
  await once(child, 'exit');
  expect((await idsOfHost())(uid)).toBe(false);
});
