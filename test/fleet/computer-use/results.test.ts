import { expect, test } from 'vitest';
import { DIALECTS } from '../../../src/contract/constants.js';
import type { Outcome } from '../../../src/fleet/computer-use/actions.js';
import { readTurn } from '../../../src/fleet/computer-use/dialects/index.js';
import { recorded } from './recorded.js';
import { shapeOf, shapes } from './results.js';

const picture = { data: 'iVBORw0KGgo=', mediaType: 'image/png' } as const;

/** What can come of a call; results with a picture only where the call shows the screen. */
function outcomesOf(showsScreen: boolean, member: string): Outcome[] {
  const seen = showsScreen ? { picture } : {};
  const done = showsScreen || /screenshot|zoom/.test(member) ? { picture } : { text: 'X=1, Y=2' };
  return [
    { state: 'done', ...done },
    { state: 'failed', text: 'Why.', ...seen },
    { state: 'skipped', ...seen },
  ];
}

test.each(DIALECTS)('every result of %s has a type of its SDK', (dialect) => {
  const given = new Set<string>();
  for (const { item, member } of recorded.filter((row) => row.dialect === dialect)) {
    const [call] = readTurn([item], dialect).calls;
    for (const outcome of outcomesOf(call?.showsScreen === true, member)) {
      for (const result of call?.answer(outcome) ?? []) {
        const shape = shapeOf(result);
        expect(shapes[dialect]).toContainEqual(shape);
        given.add(JSON.stringify(shape));
      }
    }
  }
  expect(given.size).toBeGreaterThan(1);
});
