import { expect, it } from 'vitest';
import { splitWords } from '../../../src/lib/text/split-words.js';

it.each([
  ['', []],
  ['  a  b\tc\n', ['a', 'b', 'c']],
  [`a 'b c' "d e"f`, ['a', 'b c', 'd ef']],
  [`'' ""`, ['', '']],
  [`a\\ b '\\' "\\"\\$x" "\\n"`, ['a b', '\\', '"$x', '\\n']],
  ['$HOME `x` *', ['$HOME', '`x`', '*']],
  [`a 'b`, undefined],
  ['a "b', undefined],
  ['a \\', undefined],
])('splits %j into words', (line, words) => {
  expect(splitWords(line)).toEqual(words);
});
