import { expect, it } from 'vitest';
import { BatchAction } from '../../../src/contract/actions/batch.js';
import { runBatch } from '../../../src/fleet/actions/batch.js';

const MIB = 1024 * 1024;
const shot = BatchAction.parse({ action: 'screenshot' });
const picture = (characters: number) => ({
  success: true as const,
  image: 'A'.repeat(characters),
  format: 'png' as const,
  encoding: 'base64' as const,
  width: 1,
  height: 1,
});

it('a batch fails at the screenshot that exceeds 64 MiB in total', async () => {
  let taken = 0;
  const { success, results } = await runBatch(Array(100).fill(shot), async () => {
    taken += 1;
    return picture(24 * MIB);
  });
  expect(success).toBe(false);
  expect(taken).toBe(3);
  expect(results.map((result) => 'image' in result)).toEqual([true, true, false]);
  expect(results.at(-1)).toEqual({
    success: false,
    code: 'payload_too_large',
    error: expect.stringContaining('larger than 64 MiB'),
    remedy: expect.stringContaining('Use scale'),
  });
});

it('a batch returns screenshots of 64 MiB in total', async () => {
  const run = async () => picture(32 * MIB);
  expect(await runBatch([shot, shot], run)).toMatchObject({ success: true });
});

it('the output of commands counts, too', async () => {
  const bash = { action: 'bash', command: 'yes', timeout: 1, background: false } as const;
  const stdout = '\0'.repeat(2 ** 20);
  const answer = { success: true, output: stdout, stdout, stderr: '', exit_code: 0 } as const;
  const run = async () => ({ ...answer, timed_out: false, truncated: true });
  const { success, results } = await runBatch(Array(100).fill(bash), run);
  expect(success).toBe(false);
  expect(results).toHaveLength(6);
  expect(results.at(-1)).toMatchObject({ code: 'payload_too_large' });
});
