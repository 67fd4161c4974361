import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonLineReader, type Message } from '../../../../src/engines/qemu/monitor/json-lines.js';

function read(limit: number, chunks: readonly Buffer[]): Message[] {
  const found: Message[] = [];
  const reader = new JsonLineReader(limit, (message) => found.push(message));
  for (const chunk of chunks) reader.read(chunk);
  return found;
}

/** Cuts bytes into pieces of the given lengths, over and over. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, next = 0; at < bytes.length; next++) {
    const length = lengths[next % lengths.length] ?? 1;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

describe('JSON lines', () => {
  it('are parsed from chunks of any size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (messages, lengths) => {
          const lines = messages.map((message) => JSON.stringify(message));
          const bytes = Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
          const expected = lines.map((line) => JSON.parse(line));
          expect(read(1 << 20, cut(bytes, lengths))).toEqual(expected);
        },
      ),
    );
  });

  it('are parsed between invalid lines', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        const good = Buffer.from('{"good":1}\n');
        const bytes = Buffer.concat([good, Buffer.from(noise), Buffer.from('\n'), good]);
        const found = read(64, cut(bytes, [7]));
        expect(found.at(0)).toEqual({ good: 1 });
        expect(found.at(-1)).toEqual({ good: 1 });
      }),
    );
  });

  it('are skipped if longer than the limit', () => {
    const long = Buffer.from(`{"long":"${'x'.repeat(100)}"}\n{"short":1}\n`);
    expect(read(50, cut(long, [9]))).toEqual([{ short: 1 }]);
    expect(read(50, [long])).toEqual([{ short: 1 }]);
    expect(read(500, [long])).toHaveLength(2);
  });

  it('that are not objects are skipped', () => {
    expect(read(100, [Buffer.from('1\n"a"\nnull\n[{}]\n\n{"a":1}\n')])).toEqual([{ a: 1 }]);
  });
});
