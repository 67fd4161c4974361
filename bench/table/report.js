export const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** Runs all works in turn, `rounds` times after `warm` uncounted ones; the milliseconds of each. */
export async function inTurn(works, rounds, warm = 3) {
  const times = works.map(() => []);
  for (let i = -warm; i < rounds; i++) {
    for (let step = 0; step < works.length; step++) {
      // Begins with another one each time, so that none always follows the same.
      const at = (step + i + warm) % works.length;
      const startedAt = performance.now();
      await works[at](Math.abs(i));
      if (i >= 0) times[at].push(performance.now() - startedAt);
    }
  }
  return times;
}

/** `values` are of the other checkout, if one is compared, and of this one. */
export function format({ what, values, unit, floor, least, goal }) {
  const after = values.at(-1);
  const before = values.length > 1 ? values[0] : undefined;
  const ratio = (value) => (value === undefined ? '' : (after / value).toFixed(2));
  const isMet = goal && (goal.most === undefined ? after >= goal.least : after <= goal.most);
  return {
    what,
    before: before === undefined ? '' : unit(before),
    after: unit(after),
    'after/before': ratio(before),
    floor: least === undefined ? '' : `${floor}: ${unit(least)}`,
    'after/floor': ratio(least),
    goal: goal?.text ?? '',
    met: goal === undefined ? '' : isMet ? 'yes' : 'no',
  };
}
