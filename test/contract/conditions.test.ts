import { expect, it } from 'vitest';
import { rightFor } from '../../src/contract/access/rights.js';
import { operations } from '../../src/contract/operations.js';
import { check } from '../../src/server/http/input/read-input.js';

const { wait } = operations;

function problem(body: unknown): string | undefined {
  const checked = check(wait.body, body, 'body');
  return 'error' in checked ? checked.error.message : undefined;
}

it.each([
  [{ port: 8000 }],
  [{ window: 'Saved', gone: true }],
  [{ element: { role: 'button', name: 'OK' } }],
  [{ file: 'a.pdf', size_above: 0 }],
  [{ command: 'test -e a' }],
  [{ url: '/welcome' }],
  [{ text: 'Sav(ed' }],
  [{ text: 'Saved', region: [0, 0, 10, 10], gone: true }],
  [{ any: [{ port: 1 }, { window: 'x', gone: true }] }],
  [{ all: [{ port: 1 }] }],
])('takes %j', (until) => {
  expect(problem({ until, timeout: 600 })).toBeUndefined();
});

it.each([
  [{}, /^until(?:\.| is wrong: | )must have exactly one of element, text, window,/],
  [{ port: 1, window: 'x' }, /^until(?:\.| is wrong: | )must have exactly one of/],
  [{ port: 1, any: [{ port: 2 }] }, /^until(?:\.| is wrong: | )must have exactly one of/],
  [{ port: 0 }, /^until(?:\.| is wrong: | )port must be an integer from 1 to 65535/],
  [{ port: '80' }, /^until(?:\.| is wrong: | )port must be an integer from 1 to 65535/],
  [{ window: ' ' }, /^until(?:\.| is wrong: | )window must not be blank/],
  [{ element: {} }, /^until(?:\.| is wrong: | )element.text must be given, or role or name/],
  [{ element: 'OK' }, /^until(?:\.| is wrong: | )element must be an object such as/],
  [{ size_above: 1, port: 1 }, /^until(?:\.| is wrong: | )size_above needs file/],
  [{ region: [0, 0, 1, 1], port: 1 }, /^until(?:\.| is wrong: | )region needs text/],
  [{ text: 'a', region: [0, 0, 0, 1] }, /^until(?:\.| is wrong: | )region.2 must be/],
  [{ text: ' ' }, /^until(?:\.| is wrong: | )text must not be blank/],
  [{ any: [] }, /^until(?:\.| is wrong: | )any must have at least one condition/],
  [
    { any: new Array(17).fill({ port: 1 }) },
    /^until(?:\.| is wrong: | )any must have at most 16 conditions/,
  ],
  [{ any: [{ port: 1 }, 7] }, /^until(?:\.| is wrong: | )any.1 must be a condition, such as/],
  [
    { any: [{ port: 1 }], gone: true },
    /^until(?:\.| is wrong: | )gone belongs to the conditions of the list/,
  ],
  [{ all: [{ any: [{ port: 1 }] }] }, /^until(?:\.| is wrong: | )all.0 must have exactly one of/],
  ['ready', /^until must be "stable", "change" or a condition, such as/],
  [7, /^until must be "stable", "change" or a condition, such as/],
])('refuses %j', (until, message) => {
  expect(problem({ until })).toMatch(message);
});

it('takes a region and a time only where they have a meaning', () => {
  expect(problem({ until: { port: 1 }, region: [0, 0, 1, 1] })).toMatch(/^region needs until/);
  expect(problem({ until: { port: 1 }, seconds: 1 })).toMatch(
    /^until must not be given with a time/,
  );
  expect(problem({ until: { port: 1 }, timeout: 601 })).toMatch(/^timeout must be a number/);
});

it.each([
  ['stable', 'look'],
  [undefined, 'look'],
  [{ window: 'command' }, 'look'],
  [{ text: 'port' }, 'look'],
  [{ element: { text: 'port' } }, 'look'],
  [{ port: 1 }, 'act'],
  [{ any: [{ window: 'x' }, { command: 'true' }] }, 'act'],
])('lets a key wait for %j with the right to %s', (until, right) => {
  expect(rightFor(wait.access, { until })).toBe(right);
});
