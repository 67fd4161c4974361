import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
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
  });
  return { walls, compared };
}

const viewer = (round: () => void = () => undefined) => ({
  round,
  picture: () => undefined,
  failed: () => undefined,
});

it('compares a list that is closed and opened again as often as an open one', async () => {
  const { walls, compared } = countedWalls();
  for (let nth = 0; nth < 20; nth++) {
    const view = walls.open({ id: 'a' }, viewer());
    await sleep(40);
    view.close();
  }
  expect(compared.length).toBeGreaterThan(1);
  expect(compared.length).toBeLessThanOrEqual(6);
  // It gets its round when the rest is over, and no other owner waits for that.
  await new Promise<void>((resolve) => {
    const view = walls.open(
      { id: 'a' },
      viewer(() => {
        setImmediate(() => {
          view.close();
          resolve();
        });
      }),
    );
  });
  const rounds: string[] = [];
  const views = ['a', 'b'].map((id) =>
    walls.open(
      { id },
      viewer(() => rounds.push(id)),
    ),
  );
  await expect.poll(() => rounds, { interval: 5, timeout: 5_000 }).toEqual(['b', 'a']);
  for (const view of views) view.close();
});
