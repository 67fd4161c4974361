import { expect, it } from 'vitest';
import type { ComputerRecord } from '../../../src/fleet/store/records.js';
import { ScreenUses } from '../../../src/fleet/wall/screen-uses.js';

it('tells what sees a screen, each time that it changes, until it has ended', () => {
  const uses = new ScreenUses({ nameOf: ({ keyId }) => (keyId === 'key_1' ? 'guest' : null) });
  const record = { id: 'cmp_1' } as ComputerRecord;
  const told: object[] = [];
  uses.onChange(({ id }) => told.push(uses.of(id)));
  const ends = [
    uses.add(record, { kind: 'stream' }),
    uses.add(record, { kind: 'recording' }),
    uses.add(record, { kind: 'recording' }),
    uses.add(record, { kind: 'view', owner: { id: 'usr_1', keyId: 'key_1' } }),
    uses.add(record, { kind: 'view', owner: { id: 'usr_1', keyId: 'key_2' } }),
  ];
  const captures = ['recording', 'stream'];
  expect(told.at(-1)).toEqual({ captures, viewers: ['guest', null] });
  expect(uses.of('cmp_2')).toEqual({ captures: [], viewers: [] });
  ends[2]?.();
  expect(told.at(-1)).toEqual({ captures, viewers: ['guest', null] });
  for (const end of ends) end();
  expect(told.at(-1)).toEqual({ captures: [], viewers: [] });
  expect(told).toHaveLength(2 * ends.length);
});
