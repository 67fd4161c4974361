import { expect, it, vi } from 'vitest';
import { Walls } from '../../../src/fleet/wall/walls.js';

const nothing = () => () => undefined;

/** Walls of owners without computers, and a function that counts their comparisons. */
function countedWalls() {
  const compared: string[] = [];
  const records = ({ id }: { id: string }) => {
    compared.push(id);
    return [];
  };
  const walls = new Walls({
    computers: { records, present: () => undefined },
    events: { onChanged: nothing },
    control: { onChange: nothing },
    pictures: { watch: nothing, seqOf: () => 0 },
    screenUses: { onChange: nothing, of: () => ({ captures: [], viewers: [] }) },
  });
  return { walls, compared };
}

const viewer = () => ({
  round: () => undefined,
  picture: () => undefined,
  failed: () => undefined,
});

it('compares a list at once, and then at most four times a second', () => {
  vi.useFakeTimers();
  const { walls, compared } = countedWalls();
  const view = walls.open({ id: 'a' }, viewer());
  for (let ms = 0; ms < 1_000; ms += 10) {
    view.refresh();
    vi.advanceTimersByTime(10);
  }
  expect(compared.length).toBeGreaterThan(2);
  expect(compared.length).toBeLessThanOrEqual(5);
  view.close();
  vi.useRealTimers();
});
