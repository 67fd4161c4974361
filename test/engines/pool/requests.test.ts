import { expect, it } from 'vitest';
import { WarmRequests } from '../../../src/engines/pool/requests.js';
import type { NewMachine } from '../../../src/engines/pool/reserving.js';

const like = (ownerId: string, cpu: number): NewMachine => ({
  ...{ ownerId, projectId: 'prj_1', os: 'linux', image: 'linux' },
  ...{ cpu, ram: 0, gpu: 'none', resolution: { width: 800, height: 600 } },
});

function requests(limit: number, ...added: [ownerId: string, cpu: number][]) {
  const all = new WarmRequests<NewMachine>(limit);
  for (const [ownerId, cpu] of added) all.add(like(ownerId, cpu));
  return all;
}

/** Takes them all. */
function taken(all: WarmRequests<NewMachine>): string[] {
  const found: string[] = [];
  for (let next = all.next(); next !== undefined; next = all.next()) {
    found.push(`${next.spec.ownerId} ${next.spec.cpu}`);
  }
  return found;
}

it('the owners have their turns, the oldest request of each first', () => {
  const all = requests(6, ['one', 1], ['one', 2], ['one', 3], ['two', 1], ['two', 2], ['six', 1]);
  expect(taken(all)).toEqual(['one 1', 'two 1', 'six 1', 'one 2', 'two 2', 'one 3']);
});

it('the oldest of the owner with the most is dropped', () => {
  const all = requests(3, ['two', 1], ['one', 1], ['one', 2], ['one', 3], ['six', 1]);
  expect(taken(all)).toEqual(['two 1', 'one 3', 'six 1']);
});

it('each owner keeps one, and a new request of it does not lose its turn', () => {
  const all = requests(1, ['one', 1], ['two', 1], ['one', 2], ['two', 2], ['one', 3]);
  expect(all.size).toBe(2);
  expect(taken(all)).toEqual(['one 3', 'two 2']);
});

it('a shape that is requested again is the newest', () => {
  expect(taken(requests(2, ['one', 1], ['one', 2], ['one', 1], ['one', 3]))).toEqual([
    'one 1',
    'one 3',
  ]);
});

it('one that failed is put back as the oldest, and not where there are newer ones', () => {
  const all = requests(2, ['one', 1]);
  const failed = all.next();
  if (failed === undefined) throw new Error('there is none');
  all.add(like('one', 2));
  all.putBack({ ...failed, failures: 1 });
  expect(all.next()).toMatchObject({ spec: { cpu: 1 }, failures: 1 });
  all.add(like('one', 3));
  all.putBack(failed);
  expect(taken(all)).toEqual(['one 2', 'one 3']);
});
