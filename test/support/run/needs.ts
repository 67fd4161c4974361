import { describe, it } from 'vitest';

/** `it`, or a test that is skipped with the reason why this host cannot run it. */
export const itUnless = (skipReason: string | undefined) => (title: string, body: () => unknown) =>
  it.skipIf(skipReason !== undefined)(title, { meta: { skipReason } }, async () => {
    await body();
  });

/** `describe`, or one whose tests are all skipped with that reason. */
export const describeUnless =
  (skipReason: string | undefined) => (title: string, body: () => void) =>
    describe.skipIf(skipReason !== undefined)(title, { meta: { skipReason } }, body);
