import { expect, test } from 'vitest';
import { expiry } from '../../../src/cli/commands/key/expiry.js';
import { tree } from '../../../src/cli/commands/tree.js';
import { UsageError } from '../../../src/cli/errors/cli-error.js';
import { topics } from '../../../src/cli/framework/topics/topics.js';
import { loadOutline, paths } from '../../../src/cli/generate/outline.js';
import { duration, idleTime, milliseconds, timeLimit } from '../../../src/cli/input/duration.js';

test.each([
  ['500ms', 0.5],
  ['2s', 2],
  ['10m', 600],
  ['1h', 3600],
  ['0.5d', 43_200],
  ['.1w', 60_480],
  ['1.5h', 5400],
  ['.5s', 0.5],
  ['1.1', 1.1],
  ['2', 2],
])('%s is %d seconds', (text, seconds) => {
  expect(timeLimit(text)).toBe(seconds);
});

test('a number without a unit is in the unit of the option', () => {
  const delay = duration({ unit: 'ms', min: '0ms', max: '1s', step: 'whole' });
  expect(['5', '5ms', '0.25s', '0'].map(delay)).toEqual([5, 5, 250, 0]);
  expect(['60', '60m', '1h', '120s', '2d'].map(idleTime)).toEqual([60, 60, 60, 2, 2880]);
});

test.each([
  ...['', ' ', '2 s', '-2s', '+2s', '2S', '2sec', '1y', '1h30m', '1e3', '1,5s', 's', '.', 'NaN'],
  ...['0x10', '٣s', '99ms', '25h', '9'.repeat(400)],
])('%j is no time limit', (text) => {
  const error = thrownBy(() => timeLimit(text));
  expect(error).toBeInstanceOf(UsageError);
  expect(error).toMatchObject({ message: expect.stringMatching(/^must be a duration from 100ms/) });
});

test('a fraction is refused if the option needs a whole number', () => {
  const error = thrownBy(() => idleTime('90s'));
  expect(error).toMatchObject({ message: 'must be whole minutes, not "90s"' });
});

test('vc help durations names exactly the units that are accepted', () => {
  const rows = topics.durations.text.split('\n\n')[0]?.split('\n') ?? [];
  expect(rows.map((row) => row.trim())).toEqual([
    ...['500ms  milliseconds', '2s     seconds', '10m    minutes', '1h     hours'],
    ...['30d    days', '2w     weeks'],
  ]);
  for (const row of rows) expect(milliseconds(row.trim().split(' ')[0] ?? '')).toBeGreaterThan(0);
  expect(expiry('90s')(new Date(0))).toBe('1970-01-01T00:01:30.000Z');
});

test('every option that takes a time takes a duration', async () => {
  const options = paths(await loadOutline(tree)).flatMap(({ command }) => command.options);
  const others = options.filter(({ flags }) =>
    /<(seconds|minutes|hours|ms|milliseconds|time|timeout)>/.test(flags),
  );
  expect(others.map(({ flags }) => flags)).toEqual([]);
  for (const { flags, read } of options.filter((option) => option.flags.includes('<duration>'))) {
    // 1 s is too short for some, and 2 h too long for others.
    const accepted = ['1s', '10m', '100ms'].filter((text) => {
      try {
        return read(text) !== undefined;
      } catch {
        return false;
      }
    });
    expect(accepted.length, flags).toBeGreaterThan(0);
    expect(() => read('1sec'), flags).toThrow(/must be a duration/);
  }
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
