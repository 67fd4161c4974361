import { describe, expect, it } from 'vitest';
import { CappedOutput } from '../../../src/lib/streams/capped-output.js';
import { HeaderReader } from '../../../src/shell/process/header.js';

describe('CappedOutput', () => {
  it('joins characters split between chunks', () => {
    const output = new CappedOutput(100);
    for (const byte of Buffer.from('é 中 👍')) output.write(Buffer.of(byte));
    expect(output.text()).toBe('é 中 👍');
    expect(output.truncated).toBe(false);
  });

  it('replaces invalid UTF-8', () => {
    const output = new CappedOutput(100);
    output.write(Buffer.from([0x61, 0xff, 0xe4]));
    expect(output.text()).toBe('a\uFFFD\uFFFD');
  });

  it('keeps the first bytes and reports truncation', () => {
    const output = new CappedOutput(10_000);
    for (let i = 0; i < 1000; i++) output.write(Buffer.alloc(1000, 'x'));
    expect(output.text()).toBe('x'.repeat(10_000));
    expect(output.truncated).toBe(true);
  });

  it('omits a character cut by the limit', () => {
    const output = new CappedOutput(4);
    output.write(Buffer.from('abc中'));
    expect(output.text()).toBe('abc');
  });
});

describe('HeaderReader', () => {
  const read = (...chunks: string[]) => {
    let rest = '';
    const header = new HeaderReader((chunk) => {
      rest += chunk;
    });
    for (const chunk of chunks) header.write(Buffer.from(chunk));
    return [header.line, rest];
  };

  it('removes the first line, for any chunk sizes', () => {
    expect(read('12', '34\nout', '\nput')).toEqual(['1234', 'out\nput']);
    expect(read('1234\n')).toEqual(['1234', '']);
    expect(read('12')).toEqual([undefined, '']);
  });

  it('ignores a first line without an end', () => {
    expect(read('x'.repeat(100), 'y\n', '1\n')).toEqual([undefined, '']);
  });
});
