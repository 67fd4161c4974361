// @module-tag slow
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quote } from '../../../src/shell/process/quote.js';

describe('quote', () => {
  it('quotes any text for bash', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((s) => !s.includes('\0'));
    fc.assert(
      // Few runs with many words: each starts bash.
      fc.property(fc.array(text, { minLength: 1, maxLength: 400, size: 'max' }), (words) => {
        const script = `printf '%s\\0' ${words.map(quote).join(' ')}`;
        const output = execFileSync('bash', ['-s'], { input: script, encoding: 'utf8' });
        expect(output.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: 6 },
    );
  });

  it.each(["'", "''", "'\\''", '$(id)', '`id`', '\n', '-n', '', '\\', '!!', '{a,b}'])(
    'leaves nothing special in %j',
    (text) => {
      const input = `printf %s ${quote(text)}`;
      expect(execFileSync('bash', ['-s'], { input, encoding: 'utf8' })).toBe(text);
    },
  );

  it('rejects a NUL', () => {
    expect(() => quote('a\0b')).toThrow('NUL');
  });
});
