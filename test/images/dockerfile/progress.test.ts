import { expect, test } from 'vitest';
import { formatEvent, StepOutput } from '../../../src/images/dockerfile/progress.js';

function collect(chunks: readonly string[], secrets: readonly string[] = []) {
  const lines: string[] = [];
  const output = new StepOutput((text, stream) => lines.push(`${stream} ${text}`), secrets);
  for (const chunk of chunks) output.write(Buffer.from(chunk, 'latin1'), 'stdout');
  output.end();
  return lines;
}

test('output becomes lines, wherever the pieces end', () => {
  const bytes = Buffer.from('a\nbü\n\nc').toString('latin1');
  const expected = ['stdout a', 'stdout bü', 'stdout ', 'stdout c'];
  expect(collect([...bytes])).toEqual(expected);
  expect(collect([bytes])).toEqual(expected);
});

test('of a progress bar the last version is kept', () => {
  expect(collect(['10%\r50%\r100%\r\nnext'])).toEqual(['stdout 100%', 'stdout next']);
});

test('secrets are hidden, short ones are not', () => {
  const secrets = ['first line\nsecond line\n', 'ab'];
  expect(collect(['x first', ' line, ab\n'], secrets)).toEqual(['stdout x ****, ab']);
});

test('events are printed as docker build prints them', () => {
  const place = { step: 2, stage: 'build', position: 1, total: 3, line: 4 };
  expect(formatEvent({ type: 'step', ...place, text: 'RUN a' })).toBe('#2 [build 1/3] RUN a');
  expect(
    formatEvent({
      type: 'output',
      step: 2,
      stream: 'stdout',
      seconds: 1,
      text: '\u001b[31mred\u001b[0m\u0001',
    }),
  ).toBe('#2 1.000 red\ufffd');
  expect(formatEvent({ type: 'failed', step: 2, message: 'x' })).toBe('#2 ERROR: x');
});
