import { expect, test } from 'vitest';
import { takeJob, takeJobs, unfinished } from '../../../src/shell/jobs/fields.js';

const fields = (...texts: string[]) => Buffer.from(texts.map((text) => `${text}\0`).join(''));

test('parses one job and returns the rest', () => {
  const bytes = fields('job_1', 'exited', '42', '7', '100', '160', '12', '1', 'echo\nhi');
  expect(takeJob(Buffer.concat([bytes, Buffer.from('output\0')]))).toEqual({
    job: {
      id: 'job_1',
      pid: 42,
      status: 'exited',
      exitCode: 7,
      command: 'echo\nhi',
      startedAt: new Date(100_000),
      endedAt: new Date(160_000),
      outputBytes: 12,
      truncated: true,
    },
    rest: Buffer.from('output\0'),
  });
});

test('replaces invalid numbers by defaults', () => {
  const bytes = fields('job_1', 'odd', '-1', '1e9', 'NaN', '', ' ', '2', '');
  expect(takeJob(bytes)?.job).toMatchObject({
    pid: 0,
    status: 'exited',
    exitCode: null,
    startedAt: new Date(0),
    endedAt: null,
    outputBytes: 0,
    truncated: false,
  });
  expect(takeJob(Buffer.from('job_1\0running\0'))).toBeUndefined();
});

test('leaves out jobs of an invalid id', () => {
  const job = (id: string) => fields(id, 'exited', '42', '0', '100', '160', '0', '0', 'make');
  const [one, two] = ['job_0mi4x2k9a01234567', 'job_0mi4x2k9b01234567'] as const;
  const bytes = Buffer.concat([job('job_\u001b]0;taken\u0007'), job(one), job('job_1'), job(two)]);
  expect(takeJobs(bytes, 4).map(({ id }) => id)).toEqual([one, two]);
  expect(takeJobs(bytes, 3)).toHaveLength(1);
});

test('detects an incomplete character at the end', () => {
  const euro = Buffer.from('a€');
  const face = Buffer.from('👍');
  expect(unfinished(euro)).toBe(0);
  expect(unfinished(euro.subarray(0, 3))).toBe(2);
  expect(unfinished(euro.subarray(0, 2))).toBe(1);
  expect(unfinished(face.subarray(0, 3))).toBe(3);
  expect(unfinished(face)).toBe(0);
  expect(unfinished(Buffer.alloc(0))).toBe(0);
  // Not UTF-8: no character to complete.
  expect(unfinished(Buffer.from([0x80, 0x80, 0x80, 0x80]))).toBe(0);
});
