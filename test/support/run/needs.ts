import { describe, it } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test is skipped; the reporter prints it. */
    skipReason?: string;
  }
}

/** `it`, or a test that is skipped with the reason why this host cannot run it. */
export const itUnless = (reason: string | undefined) => (title: string, body: () => unknown) =>
  reason === undefined
    ? it(title, async () => void (await body()))
    : it.skip(title, { meta: { skipReason: reason } }, () => undefined);

/** `describe`, or one whose tests are all skipped with that reason. */
export const describeUnless = (reason: string | undefined) => (title: string, body: () => void) =>
  reason === undefined
    ? describe(title, body)
    : describe.skip(title, { meta: { skipReason: reason } }, body);
