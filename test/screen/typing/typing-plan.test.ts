import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { planSlowly, planTyping } from '../../../src/screen/typing/typing-plan.js';

const plan = async (text: string) => planTyping(text).map(({ kind, text: part }) => [kind, part]);

test('types ASCII as keys in one step', async () => {
  expect(await plan('Hello, World!\n\tx')).toEqual([['keys', 'Hello, World!\n\tx']]);
});

test('pastes from the first to the last non-ASCII character of a line', async () => {
  expect(await plan('say "héllo wörld" now')).toEqual([
    ['keys', 'say "h'],
    ['paste', 'éllo wö'],
    ['keys', 'rld" now'],
  ]);
});

test('never pastes a newline or a tab', async () => {
  expect(await plan('é\nü\tß')).toEqual([
    ['paste', 'é'],
    ['keys', '\n'],
    ['paste', 'ü'],
    ['keys', '\t'],
    ['paste', 'ß'],
  ]);
});

test('never divides a grapheme', async () => {
  expect(await plan('ae\u0301b')).toEqual([
    ['keys', 'a'],
    ['paste', 'e\u0301'],
    ['keys', 'b'],
  ]);
  expect(planSlowly('👩‍👩‍👧‍👦a👍🏽').map(({ text }) => text)).toEqual(['👩‍👩‍👧‍👦', 'a', '👍🏽']);
});

test('types every kind of line ending as one Enter', async () => {
  expect(await plan('a\r\nb\rc\n')).toEqual([['keys', 'a\nb\nc\n']]);
});

// In quadratic time this would take minutes.
test('splits a long text in linear time', { timeout: 60_000 }, async () => {
  expect(planSlowly('中'.repeat(100_000))).toHaveLength(100_000);
  expect(planSlowly('👩‍👩‍👧‍👦'.repeat(9000))).toHaveLength(9000);
});

test('splits a text larger than the clipboard limit between characters', async () => {
  const steps = planTyping('👍🏽'.repeat(40_000));
  expect(steps.length).toBeGreaterThan(2);
  for (const { text } of steps) {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(128 * 1024);
    expect(text).toMatch(/^(👍🏽)+$/u);
  }
});

test('divides a line into graphemes only where it is larger than the clipboard', async () => {
  const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
  try {
    planTyping(`é${'e\u0301'.repeat(40_000)}é`);
    expect(segment.mock.calls.length).toBeLessThan(3);
  } finally {
    segment.mockRestore();
  }
});

test('preserves every text exactly', async () => {
  const unit = fc.constantFrom(
    'a',
    'Z',
    ' ',
    '\n',
    '\t',
    'é',
    'e\u0301',
    '\u0301',
    'Ж',
    '中',
    'ع',
    '👍🏽',
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    '\b',
    '\x1b',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(unit, { maxLength: 60 }), async (units) => {
      const text = units.join('');
      for (const steps of [planTyping(text), planSlowly(text)]) {
        expect(steps.map((step) => step.text).join('')).toBe(text);
        for (const step of steps) {
          const points = [...step.text].map((character) => character.codePointAt(0) ?? 0);
          if (step.kind === 'paste') expect(Math.min(...points)).toBeGreaterThanOrEqual(0x20);
          else expect(Math.max(...points)).toBeLessThan(0x80);
        }
      }
    }),
  );
});

test('rejects control characters that no key types, before typing anything', async () => {
  for (const text of ['a\x03', '\0', '\x85', '\x9b']) {
    expect(() => planTyping(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  }
  expect(() => planTyping('a\x03')).toThrow('U+0003');
  expect(() => planTyping('\ud800')).toThrow('surrogate');
});
