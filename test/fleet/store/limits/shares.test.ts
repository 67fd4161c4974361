import { expect, it } from 'vitest';
import { limitedHolder } from '../../../../src/fleet/store/accounts/key-holders.js';
import { divideShares } from '../../../../src/fleet/store/limits/shares.js';

const [a, b, c] = ['a', 'b', 'c'].map(limitedHolder) as [string, string, string];

it.each([
  ['none within the limit', { own: 100 }, {}],
  ['those of a key with all rights by itself', { own: 104, other: 1 }, { own: 5 }],
  ['none of a key with all rights for limited ones', { own: 100, [a]: 50, [b]: 25 }, {}],
  ['those of a limited key beyond half', { own: 100, [a]: 53 }, { [a]: 3 }],
  ['those of limited keys beyond three quarters', { [a]: 45, [b]: 20, [c]: 20 }, { [a]: 10 }],
  ['none of limited keys for one with all rights', { own: 300, [a]: 50 }, { own: 200 }],
  ['those of one, then of all limited keys', { [a]: 60, [b]: 50 }, { [a]: 22, [b]: 13 }],
])('drops %s', (_, counts, losses) => {
  expect(Object.fromEntries(divideShares(Object.entries(counts), 100))).toEqual(losses);
});
