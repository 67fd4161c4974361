import { afterEach, expect, it, vi } from 'vitest';
import { BatchAction } from '../../../src/contract/actions/batch.js';
import { checkBatch, fillBatch } from '../../../src/fleet/actions/batch.js';
import type { Fill } from '../../../src/fleet/secrets/secrets.js';

const typing = (text: string) => BatchAction.parse({ action: 'type', text });
/** A secret of 10,000 characters in place of each `*`. */
const SECRET = `é${'a'.repeat(9_998)}é`;

function filler() {
  return vi.fn<Fill>((text) => ({ text: text.replaceAll('*', SECRET), used: ['S'] }));
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('a check of a batch does not divide its texts into graphemes', () => {
  const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
  checkBatch([typing(SECRET), typing('👩‍👩‍👧‍👦'.repeat(1000))]);
  expect(segment.mock.calls.length).toBe(0);
});

it('a check of a batch still refuses what no key types', () => {
  expect(() => checkBatch([typing('a\r\nb'), typing('a\x03')])).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringMatching(/^actions\.1\.text: .*U\+0003/),
    }),
  );
});

it('the texts of a batch with their secrets are bounded in all', () => {
  const fill = filler();
  const list = Array.from({ length: 100 }, () => typing('*'.repeat(10)));
  expect(() => fillBatch(list, fill)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringMatching(/^actions\.2\.text: .*200,000 characters/),
    }),
  );
  expect(fill.mock.calls.length).toBeLessThanOrEqual(3);
  expect(fillBatch(list.slice(0, 2), filler())).toHaveLength(2);
});

it('the texts of a batch are bounded in all before their secrets are looked for', () => {
  const fill = filler();
  const list = Array.from({ length: 3 }, () => typing('a'.repeat(70_000)));
  expect(() => fillBatch(list, fill)).toThrow(/^actions\.2\.text: .*200,000 characters/);
  expect(fill.mock.calls.length).toBe(0);
});
