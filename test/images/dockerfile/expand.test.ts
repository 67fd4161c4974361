// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Dockerfiles
import { expect, test } from 'vitest';
import { expand, expandText, quotedWords } from '../../../src/images/dockerfile/expand.js';

const variables = new Map([
  ['A', 'one'],
  ['EMPTY', ''],
  ['A_B', 'two'],
]);
const lookup = (name: string) => variables.get(name);

// From the reference of Dockerfiles, "Environment replacement", and BuildKit's own cases.
test.each([
  ['plain', 'plain'],
  ['$A', 'one'],
  ['$A_B', 'two'],
  ['${A}_B', 'one_B'],
  ['$MISSING-x', '-x'],
  ['${MISSING:-word}', 'word'],
  ['${EMPTY:-word}', 'word'],
  ['${EMPTY-word}', ''],
  ['${MISSING-word}', 'word'],
  ['${A:-word}', 'one'],
  ['${A:+word}', 'word'],
  ['${EMPTY:+word}', ''],
  ['${EMPTY+word}', 'word'],
  ['${MISSING+word}', ''],
  ['${MISSING:-${A}/$A_B}', 'one/two'],
  ["${MISSING:-'$A b'}", '$A b'],
  ['${A:?no}', 'one'],
  ['\\$A', '$A'],
  ['\\${A}', '${A}'],
  ["'$A'", '$A'],
  ['"$A b"', 'one b'],
  ['"a\\"b"', 'a"b'],
  ['"a\\nb"', 'a\\nb'],
  ['a\\ b', 'a b'],
  ['"it\'s"', "it's"],
  ['$', '$'],
  ['$$A', '$one'],
  ['a$1b', 'ab'],
  ['$constructor', ''],
])('%s becomes %j', (word, expected) => {
  expect(expand(word, lookup)).toBe(expected);
});

test.each([
  ['${A', 'a variable has no closing brace'],
  ['"x', 'a quote is not closed'],
  ["'x", 'a quote is not closed'],
  ['${}', 'a variable in braces has no name'],
  ['${A#x}', '${A…} has a modifier that vc does not know'],
  ['${A:-'.repeat(10_000), 'variables are nested too deeply'],
  ['${MISSING:?pass it}', 'MISSING: pass it'],
])('%s is refused: %s', (word, message) => {
  expect(() => expand(word, lookup)).toThrow(message);
});

test('the escape character can be a backtick', () => {
  expect(expand('C:\\$A`$A', lookup, '`')).toBe('C:\\one$A');
});

test('quotes in a text mean nothing', () => {
  expect(expandText(`"$A" '\${A}' \\$A \\"`, lookup)).toBe(`"one" 'one' $A \\"`);
});

test('words end at spaces outside quotes', () => {
  expect(quotedWords(`A=1 B="x y" C=z\\ w D='a "b' `)).toEqual([
    ...['A=1', 'B="x y"', 'C=z\\ w', `D='a "b'`],
  ]);
  expect(() => quotedWords('A="x')).toThrow('a quote is not closed');
});

test('a value that doubles with each line ends', () => {
  let value = 'x'.repeat(1000);
  const grow = () => {
    for (let n = 0; n < 20; n += 1) value = expand('$A$A', () => value);
  };
  expect(grow).toThrow('a value is too long');
});
