import { expect, it } from 'vitest';
import { parseElements } from '../../../src/shell/elements/parse.js';

const row = ['2c6e3adb-1.8-72', 43, 0x43000900, 'Reload', null, [78, 46, 34, 34], ['click']];
const text = (elements: unknown, truncated: unknown = false) =>
  JSON.stringify({ elements, truncated });

it('reads the elements with the names of roles and states', () => {
  expect(parseElements(text([row]), 10)).toEqual({
    elements: [
      {
        id: '2c6e3adb-1.8-72',
        role: 'button',
        name: 'Reload',
        states: ['focusable'],
        box: [78, 46, 34, 34],
        actions: ['click'],
      },
    ],
    truncated: false,
  });
});

it('reads paths, values, states beyond 32 bits, and roles that are new', () => {
  const other = ['2c6e3adb-1.8-/org/x_1', 9999, 2 ** 43 + 2 ** 12, '', 'a\nb', [0, 0, 1, 1], []];
  const [element] = parseElements(text([other]), 10).elements;
  expect(element).toMatchObject({ id: '2c6e3adb-1.8-/org/x_1', role: 'unknown', value: 'a\nb' });
  expect(element?.states).toEqual(['focused', 'read-only', 'disabled']);
});

it('cleans and cuts texts again, which a guest may not have', () => {
  const dirty = '\u001b[31m\u202eA\nB\u0007'.padEnd(1e4, 'x');
  const bad = [row[0], 43, 0, dirty, dirty, row[5], Array.from({ length: 99 }, () => dirty)];
  const [element] = parseElements(text([bad]), 10).elements;
  expect(element?.name.slice(0, 8)).toBe('[31mA Bx');
  expect(element?.name).toHaveLength(200);
  expect(element?.value?.slice(0, 8)).toBe('[31mA\nBx');
  expect(element?.value).toHaveLength(1000);
  expect(element?.actions.map(({ length }) => length)).toEqual(Array(8).fill(40));
});

it('keeps no more than was asked for', () => {
  expect(parseElements(text([row, row, row]), 2)).toMatchObject({
    elements: { length: 2 },
    truncated: true,
  });
});

it.each([
  ['nothing', ''],
  ['another text', 'Traceback'],
  ['a number', '1'],
  ['no list', text({})],
  ['no flag', text([row], 1)],
  ['an id for a shell', text([["x'; rm", ...row.slice(1)]])],
  ['a box outside', text([[...row.slice(0, 5), [-1, 0, 1, 1], []]])],
  ['an empty box', text([[...row.slice(0, 5), [0, 0, 0, 1], []]])],
  ['a box of texts', text([[...row.slice(0, 5), ['0', 0, 1, 1], []]])],
  ['a short row', text([row.slice(0, 4)])],
  ['a row that is none', text([null])],
  ['an action that is no text', text([[...row.slice(0, 6), [{ toString: 1, valueOf: 1 }]]])],
])('refuses %s', (_, line) => {
  expect(() => parseElements(line, 10)).toThrow(
    expect.objectContaining({ code: 'guest_failed' }) as Error,
  );
});

it('says what to do where nothing describes elements', () => {
  expect(() => parseElements('{"error":"none"}', 10)).toThrow(
    expect.objectContaining({
      code: 'unsupported',
      remedy: expect.stringContaining('screenshots'),
    }) as Error,
  );
});
