import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { QemuProcess } from '../../../../src/engines/qemu/machine/qemu-process.js';
import { LiveMigration } from '../../../../src/engines/qemu/snapshots/live-migration.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A migration whose status does not change. */
function migration(status: string): LiveMigration {
  const execute = async (command: string) => (command === 'query-migrate' ? { status } : {});
  return new LiveMigration({ execute } as unknown as QemuProcess);
}

it('gives up if the last part is not saved in time', async () => {
  const outcome = migration('device')
    .finish(new AbortController().signal)
    .catch((error) => error);
  await vi.advanceTimersByTimeAsync(130_000);
  expect(await Promise.race([outcome, 'waits'])).toMatchObject({
    code: 'internal',
    message: 'QEMU did not save the last part of the memory within 120 s.',
  });
});

it.each(['untilPaused', 'finish'] as const)(
  '%s ends when the stream cannot be saved',
  async (step) => {
    const failed = new AbortController();
    const outcome = migration('active')
      [step](failed.signal)
      .catch((error) => error);
    await vi.advanceTimersByTimeAsync(100);
    failed.abort(new Error('no space'));
    await vi.advanceTimersByTimeAsync(100);
    expect(await Promise.race([outcome, 'waits'])).toMatchObject({ message: 'no space' });
  },
);
