import { expect, it } from 'vitest';
import { resolvesWithin, withDeadline, within } from '../../../src/lib/async/deadline.js';

const never = new Promise<never>(() => {});
const onTimeout = () => new Error('too late');

it('rejects with the error of the deadline, even if the work ignores its signal', async () => {
  await expect(withDeadline({ ms: 1, onTimeout }, () => never)).rejects.toThrow('too late');
  await expect(within(never, { ms: 1, onTimeout })).rejects.toThrow('too late');
});

it("rejects with the signal's reason, not with the error that the abort causes in the work", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const working = withDeadline({ ms: 60_000, onTimeout, signal }, async (inner) => {
    await new Promise((resolve) => inner.addEventListener('abort', resolve));
    throw new Error('aborted');
  });
  const waiting = within(never, { ms: 60_000, onTimeout, signal });
  controller.abort(new Error('over'));
  await expect(working).rejects.toThrow('over');
  await expect(waiting).rejects.toThrow('over');
});

it('settles like the work if that is in time', async () => {
  expect(await withDeadline({ ms: 60_000, onTimeout }, async () => 1)).toBe(1);
  expect(await within(Promise.resolve(2), { ms: 60_000, onTimeout })).toBe(2);
  const failing = Promise.reject(new Error('failed'));
  await expect(within(failing, { ms: 60_000, onTimeout })).rejects.toThrow('failed');
});

it('ignores the late rejection of a promise that is no longer awaited', async () => {
  const signal = AbortSignal.abort(new Error('over'));
  const late = new Promise<void>((_, reject) => setImmediate(() => reject(new Error('late'))));
  await expect(within(late, { ms: 1_000, onTimeout, signal })).rejects.toThrow('over');
  // An unhandled rejection would fail the test run.
  await new Promise((resolve) => setTimeout(resolve, 5));
});

it('reports whether a promise resolves in time', async () => {
  expect(await resolvesWithin(Promise.resolve(), 60_000)).toBe(true);
  expect(await resolvesWithin(never, 1)).toBe(false);
  await expect(resolvesWithin(Promise.reject(new Error('failed')), 60_000)).rejects.toThrow(
    'failed',
  );
});
