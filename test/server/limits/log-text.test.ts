import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { limitError, limitTexts } from '../../../src/server/limits/log-text.js';
import { promise } from '../../support/run/promise.js';

function lineOf(fields: object): { line: string; json: Record<string, Record<string, unknown>> } {
  const output = new PassThrough();
  const log = pino(
    { base: undefined, serializers: { err: limitError }, formatters: { log: limitTexts } },
    output,
  );
  log.warn(fields, 'refused');
  const line = String(output.read());
  return { line, json: JSON.parse(line) };
}

promise(29, 'a guest cannot fill the log with one failed request', (report) => {
  const text = 'x'.repeat(1_000_000);
  const cause = Object.assign(new Error(text), { description: text, detail: { text } });
  const { line, json } = lineOf({
    err: new ApiError('guest_failed', text, { cause }),
    reason: text,
  });
  expect(line.length).toBeLessThan(10_000);
  expect(json.err).toMatchObject({ type: 'ApiError', code: 'guest_failed', status: 500 });
  expect(json.err?.message).toMatch(/^x{2000}… \(\d+ characters\)$/);
  report(`a failure with 1 MB of text: ${line.length} bytes in the log`);
});

it('keeps what a maintainer needs', () => {
  const cause = new Error('the cause');
  const { json } = lineOf({ err: new ApiError('internal', 'It failed.', { cause }), count: 3 });
  expect(json).toMatchObject({ count: 3, err: { message: 'It failed.: the cause' } });
  expect(json.err?.stack).toContain('caused by: Error: the cause');
});
