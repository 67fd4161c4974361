import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { Batch } from '../../../../src/contract/actions/batch.js';
import { ComputerUse } from '../../../../src/contract/actions/computer-use.js';
import { ProcessStart } from '../../../../src/contract/sockets/process.js';
import { check } from '../../../../src/server/http/input/read-input.js';
import { promise } from '../../../support/run/promise.js';

/** The error, or an empty text, and milliseconds of the processor. */
function timed(schema: z.ZodType, value: unknown): { error: string; ms: number } {
  const before = process.cpuUsage();
  const checked = check(schema, value, 'body');
  const { user } = process.cpuUsage(before);
  return { error: 'error' in checked ? checked.error.message : '', ms: user / 1000 };
}

const list = (length: number, item: unknown) => Array.from({ length }, () => item);
const batchOf = (action: object) => ({ actions: list(100, action) });
const ends = { start_x: 1, start_y: 1, end_x: 2, end_y: 2 };
const drags = (points: readonly unknown[]) => batchOf({ action: 'drag', ...ends, path: points });
const shells = (variables: number, value: unknown, prefix = 'A') =>
  batchOf({
    ...{ action: 'bash', command: 'x' },
    env: Object.fromEntries(list(variables, value).map((one, i) => [`${prefix}${i}`, one])),
  });

const texts = (field: object) => batchOf({ action: 'type', text: 'x', ...field });

describe('the largest lists of wrong items', () => {
  it.each([
    ['points that are numbers', Batch, drags(list(1000, 0)), 'actions.0.path.0 must be [x, y].'],
    [
      'points of two texts',
      Batch,
      drags(list(1000, ['', ''])),
      'actions.0.path.0.0 must be a number of pixels; actions.0.path.0.1 must be a number of pixels.',
    ],
    ['too many points', Batch, drags(list(1001, 0)), 'actions.0.path must be a list of [x, y].'],
    [
      'values of variables',
      Batch,
      shells(256, 0),
      /^(actions\.0\.env\.A\d+ must be a string; ){4}/,
    ],
    ['names of variables', Batch, shells(256, '', '-'), /^actions\.0\.env\.-0 /],
    [
      'NUL in variables',
      Batch,
      shells(256, '\0'),
      /^(actions\.0\.env\.A\d+ must have no NUL; ){4}/,
    ],
    [
      'too many variables',
      Batch,
      shells(3900, 0),
      'actions.0.env must have at most 256 variables.',
    ],
    [
      'secrets',
      Batch,
      texts({ secrets: list(100, '!') }),
      /^actions\.0\.secrets\.0 must be 1 to 64[^;]*$/,
    ],
    [
      'actions',
      Batch,
      { actions: list(100, drags(list(1000, 0))) },
      /^actions\.0\.action is missing[^;]*$/,
    ],
    [
      'items',
      ComputerUse,
      { items: list(50, list(4000, 0)) },
      'items.0 must be an object or a text.',
    ],
    ['arguments', ProcessStart, { argv: list(4096, '\0') }, 'argv.0 must have no NUL.'],
    ['ill-formed arguments', ProcessStart, { argv: list(4096, '\ud800') }, /^argv\.0 [^;]*$/],
  ])('%s', (_, schema, value, message) => {
    const { error } = timed(schema, value);
    expect(error).toMatch(message instanceof RegExp ? message : /./);
    if (typeof message === 'string') expect(error).toBe(message);
  });
});

promise(29, 'the largest bodies are checked', async (report) => {
  const point = list(1000, [1.4, 2]);
  const fields = Object.fromEntries(list(3990, 0).map((value, i) => [`a${i}`, value]));
  const times = [
    timed(Batch, drags(point)),
    timed(Batch, shells(256, 'x')),
    timed(ComputerUse, { items: list(50, fields) }),
  ];
  report(times.map(({ ms }) => `${Math.round(ms)} ms`).join(', '));
  expect(times.map(({ error }) => error)).toEqual(['', '', '']);
});

it('names five mistakes of a body of ordinary size', () => {
  const { error } = timed(Batch, { actions: [{ action: 'drag', ...ends, path: list(6, 0) }] });
  expect(error.split('; ')).toEqual(
    [0, 1, 2, 3, 4].map((i) => `actions.0.path.${i} must be [x, y]${i === 4 ? '.' : ''}`),
  );
});

it.each([
  [[[1.5, -2.5]], [[2, -2]]],
  [[[1]], 'path.0 must be [x, y].'],
  [[[1, 2, 3]], 'path.0 must be [x, y].'],
  [[['1', 2]], 'path.0.0 must be a number of pixels.'],
  [[[1, 2], { x: 1 }], 'path.1 must be [x, y].'],
  [[null], 'path.0 must be [x, y].'],
])('reads the points %j', (path, wanted) => {
  const checked = check(Batch.shape.actions.element, { action: 'drag', ...ends, path }, 'body');
  if ('error' in checked) expect(checked.error.message).toBe(wanted);
  else expect(checked.data).toMatchObject({ path: wanted });
});
