import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

/** 10,000 characters of 4 bytes each: 53,372 bytes encrypted. */
const LONGEST = '🔑'.repeat(10_000);

let test: TestFleet;
let owner: Owner;
beforeEach(async () => {
  test = await openTestFleet();
  const found = test.fleet.apiKeys.authenticate(test.key);
  if (found === undefined) throw new Error('the key is unknown');
  owner = found;
});
afterEach(() => test.close());

const set = (project: string, name: string, value = 'x', by = owner) =>
  test.fleet.secrets.set(by, project, name, value);

/** Creates a project with secrets, as `set` does. */
function project(name: string, secrets: number, value = 'x'): void {
  test.fleet.projects.create(owner, name);
  const { id } = test.fleet.projects.find(owner, name);
  test.store.transaction(() => {
    for (let i = 0; i < secrets; i += 1) test.store.secrets.set(id, `S${i}`, value);
  });
}

function refusal(work: () => unknown): Pick<ApiError, 'code' | 'message' | 'remedy'> | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: error.message, remedy: error.remedy };
  }
}

it('an owner has at most 1,000 secrets in all projects, and may replace them', () => {
  for (let i = 0; i < 10; i += 1) project(`p${i}`, 100);
  project('last', 0);
  expect(refusal(() => set('last', 'NEW'))).toEqual({
    code: 'limit_reached',
    message: 'You have 1000 secrets, which is the limit.',
    remedy: 'Remove one first: vc secret rm NAME -p PROJECT',
  });
  expect(test.fleet.secrets.list(owner, 'last')).toEqual([]);
  set('p0', 'S0', 'another value');
  test.fleet.secrets.remove(owner, 'p0', 'S0');
  set('last', 'NEW');
  const other = test.fleet.apiKeys.authenticate(test.addOwner('other')) as Owner;
  test.fleet.projects.create(other, 'theirs');
  set('theirs', 'NEW', 'x', other);
});

it('the secrets of an owner take at most 4 MiB of the disk', () => {
  project('shop', 78, LONGEST);
  project('other', 0);
  expect(refusal(() => set('other', 'LONG', LONGEST))).toEqual({
    code: 'limit_reached',
    message: 'Your secrets would take more than 4 MiB encrypted, which is the limit.',
    remedy: 'Remove one first (vc secret rm NAME -p PROJECT), or set a shorter value.',
  });
  expect(test.fleet.secrets.list(owner, 'other')).toEqual([]);
  set('other', 'SHORT');
  expect(refusal(() => set('other', 'SHORT', LONGEST))?.code).toBe('limit_reached');
  set('shop', 'S0', 'shorter');
  set('other', 'SHORT', LONGEST);
});

it('an owner with more than that from before may set shorter values', () => {
  project('shop', 90, LONGEST);
  expect(refusal(() => set('shop', 'S0', LONGEST))).toBeUndefined();
  expect(refusal(() => set('shop', 'S0', 'shorter'))).toBeUndefined();
  expect(refusal(() => set('shop', 'NEW'))?.code).toBe('limit_reached');
});
