import { expect, it } from 'vitest';
import type { Entry } from '../../../src/fleet/trajectories/entry.js';
import { toRemove } from '../../../src/fleet/trajectories/eviction.js';
import { LIMITS } from '../../../src/fleet/trajectories/limits.js';

const limits = { ...LIMITS, bytes: 10, ofOwner: 40 };

/** `project/computer bytes`, the first to end first; `*` for one that is recorded. */
function stateOf(...trajectories: string[]) {
  const entries = trajectories.map((text, index) => {
    const [id = '', bytes] = text.split(' ');
    const isRecorded = bytes === '*';
    const stored = {
      owner_id: 'owner',
      bytes: isRecorded ? 0 : Number(bytes),
      ended_at: isRecorded ? null : `2026-01-01T00:00:${10 + index}Z`,
    };
    return [id, { stored, recorder: isRecorded ? {} : undefined } as unknown as Entry] as const;
  });
  return {
    entries: new Map(entries),
    starting: new Map<string, string>(),
    changing: new Set<string>(),
    projectOf: (id: string) => id.split('/')[0],
  };
}

const next = (state: ReturnType<typeof stateOf>, id: string) =>
  toRemove(state, { owner_id: 'owner', id }, limits);

it('removes the oldest of the project that has the most', () => {
  expect(next(stateOf('shop/a 9', 'act/a 9', 'act/b 9', 'act/c 9'), 'act/d')).toBe('act/a');
  expect(next(stateOf('act/a 5', 'shop/a 9', 'shop/b 9', 'shop/c 9'), 'act/d')).toBe('shop/a');
  expect(next(stateOf('shop/a 9', 'act/a 9'), 'act/d')).toBeUndefined();
});

it('one project that records everywhere removes nothing of another', () => {
  const state = stateOf('shop/a 9', 'act/a *', 'act/b *', 'act/c *');
  expect(() => next(state, 'act/d')).toThrow('Too many of your computers are being recorded.');
  expect(next(stateOf('shop/a 9', 'act/a 9', 'act/b *', 'act/c *'), 'act/d')).toBe('act/a');
});

it('counts those that are being started, and removes none that is being changed', () => {
  const state = stateOf('shop/a 9', 'act/a 9');
  state.starting.set('act/b', 'owner').set('act/c', 'owner');
  expect(next(state, 'act/d')).toBe('act/a');
  state.changing.add('act/a');
  expect(() => next(state, 'act/d')).toThrow('Too many of your computers are being recorded.');
});
