export const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** Which side is measured first, second, … in a round: the other way round in every other one. */
export function inOrder(count, round) {
  const order = Array.from({ length: count }, (_, at) => at);
  return round % 2 === 0 ? order : order.reverse();
}

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

/** In the place of lines that could not be measured. */
export function formatFailure(name, error) {
  return { what: `${name}: ${error.message.split('\n')[0].slice(0, 100)}`, after: 'failed' };
}

/** `values` are of the other checkout, if one is compared, and of this one; or of this one alone. */
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
