import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { abortable, onAbort, withAnySignal } from '../../../src/lib/async/abort.js';
import { deferred } from '../../../src/lib/async/deferred.js';

it('calls the listener with the reason, at once if the signal is already aborted', () => {
  const controller = new AbortController();
  const before = vi.fn();
  onAbort(controller.signal, before);
  expect(before).not.toHaveBeenCalled();
  controller.abort('over');
  expect(before).toHaveBeenCalledExactlyOnceWith('over');
  const after = vi.fn();
  onAbort(controller.signal, after);
  expect(after).toHaveBeenCalledExactlyOnceWith('over');
});

it('does not call a listener that was removed', () => {
  const controller = new AbortController();
  const listener = vi.fn();
  onAbort(controller.signal, listener)();
  controller.abort();
  expect(listener).not.toHaveBeenCalled();
});

it('settles like the promise while the signal is not aborted', async () => {
  const { signal } = new AbortController();
  expect(await abortable(Promise.resolve(1), signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  expect(await abortable(Promise.resolve(2), undefined)).toBe(2);
});

it('rejects with the reason and passes the late value to onLate', async () => {
  const controller = new AbortController();
  const onLate = vi.fn();
  const { promise, resolve } = deferred<string>();
  const waiting = abortable(promise, controller.signal, { onLate });
  controller.abort(new Error('over'));
  await expect(waiting).rejects.toThrow('over');
  resolve('late');
  await promise;
  expect(onLate).toHaveBeenCalledExactlyOnceWith('late');
});

it('ignores a late rejection', async () => {
  const late = new Promise((_, reject) => setImmediate(() => reject(new Error('late'))));
  await expect(abortable(late, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  // An unhandled rejection would fail the test run.
  await new Promise((resolve) => setTimeout(resolve, 5));
});

describe('the first of several signals', () => {
  it('aborts the work with its reason', async () => {
    const first = new AbortController();
    const second = new AbortController();
    const work = withAnySignal([first.signal, undefined, second.signal], (signal) =>
      abortable(new Promise(() => {}), signal),
    );
    second.abort(new Error('over'));
    first.abort(new Error('later'));
    await expect(work).rejects.toThrow('over');
    const aborted = withAnySignal([first.signal], async ({ reason }) => reason.message);
    expect(await aborted).toBe('later');
  });

  it('has no listener when the work has ended', async () => {
    const { signal } = new AbortController();
    expect(
      await withAnySignal([signal], async () => getEventListeners(signal, 'abort').length),
    ).toBe(1);
    await withAnySignal([signal], () => Promise.reject(new Error('failed'))).catch(() => undefined);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
