import { expect, it } from 'vitest';
import type { Rights, WallComputer } from '../../src/dashboard/app/api/types.js';
import { entriesOf, found } from '../../src/dashboard/app/pages/palette/entries.js';
import { computer } from '../cli/support/run.js';

const named = (name: string, status = 'running') =>
  ({ ...computer, id: `cmp_${name}`, name, project_name: 'demo', status }) as WallComputer;

const known = {
  pages: [{ path: '/keys', name: 'Keys' }],
  computers: [named('desk'), named('desk-2', 'stopped')],
  may: (_: Rights) => true,
};
const texts = (typed: string, given = known) =>
  found(entriesOf(given), typed).map(({ text }) => text);

it('finds by several words in any order, with the computer itself before its pages', () => {
  expect(texts('desk-2')[0]).toBe('demo/desk-2');
  expect(texts('files desk-2')).toEqual(['demo/desk-2: Files']);
  expect(texts('KEYS')).toEqual(['Keys']);
  expect(texts('nothing at all')).toEqual([]);
});

it('offers to start what is stopped, to stop what runs, and neither in between', () => {
  expect(texts('desk-2 st').at(-1)).toBe('demo/desk-2: Start');
  expect(texts('demo/desk: st')).toContain('demo/desk: Stop');
  const passing = { ...known, computers: [named('desk', 'starting')] };
  expect(texts('desk st', passing)).toEqual([]);
});

it('offers a key only what it may do', () => {
  const looking = { ...known, may: (rights: Rights) => rights === 'look' };
  expect(texts('new computer', looking)).toEqual([]);
  expect(texts('desk-2', looking).join(' ')).not.toMatch(/Start|Files|Terminal/);
});
