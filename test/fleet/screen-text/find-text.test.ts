import { expect, it } from 'vitest';
import { findText, linesIn } from '../../../src/fleet/screen-text/find-text.js';

/** A line of words, each 10 pixels high and as wide as it has letters. */
function line(text: string, y: number) {
  let x = 0;
  return text.split(' ').map((word) => {
    const read = { text: word, x, y, width: word.length, height: 10 };
    x += word.length + 1;
    return read;
  });
}

const lines = [
  line('Sign in or Sign up', 0),
  line('Signing Inbox “Done”', 20),
  line('今日 は', 40),
];
const boxes = (text: string) => findText(lines, text).map(({ box }) => box);

it.each([
  ['sign in', [[0, 0, 7, 10]]],
  [' SIGN   IN ', [[0, 0, 7, 10]]],
  [
    'Sign',
    [
      [0, 0, 4, 10],
      [11, 0, 4, 10],
    ],
  ],
  ['gning', [[0, 20, 7, 10]]],
  ['"done"', [[14, 20, 6, 10]]],
  ['done', [[14, 20, 6, 10]]],
  ['今日は', [[0, 40, 4, 10]]],
  ['up Signing', []],
  ['.*', []],
  ['  ', []],
])('finds %j as whole words of a line if it can', (text, expected) => {
  expect(boxes(text)).toEqual(expected);
});

it('answers elements that a click takes, with their line', () => {
  expect(findText(lines, 'sign in')).toEqual([
    {
      ...{ id: 'text-0-0-7-10', source: 'text', role: 'text' },
      ...{ name: 'Sign in', value: 'Sign in or Sign up' },
      ...{ states: [], actions: [], box: [0, 0, 7, 10] },
    },
  ]);
});

it('leaves out the words outside a region', () => {
  expect(linesIn(lines, { x: 8, y: 0, width: 8, height: 10 })).toEqual([lines[0]?.slice(2, 4)]);
});
