import { expect, it } from 'vitest';
import { SharedSource } from '../../../src/fleet/sound/shared-source.js';

/** A source with its emit functions and signals, one for each time that it ran. */
function openSource() {
  const runs: { emit(item: string): void; signal: AbortSignal; end(error: Error): void }[] = [];
  const source = new SharedSource<string>((emit, signal) => {
    return new Promise((_, end) => runs.push({ emit, signal, end }));
  });
  return { source, runs };
}

function collector() {
  const items: string[] = [];
  const errors: unknown[] = [];
  const take = (item: string) => void items.push(item);
  const failed = (error: unknown) => void errors.push(error);
  return { items, errors, take, failed };
}

it('runs once for all listeners, and ends with the last', () => {
  const { source, runs } = openSource();
  const [one, two] = [collector(), collector()];
  const stops = [source.listen(one), source.listen(two)];
  runs[0]?.emit('a');
  stops[0]?.();
  runs[0]?.emit('b');
  expect(runs[0]?.signal.aborted).toBe(false);
  stops[1]?.();
  stops[1]?.();
  expect(runs).toHaveLength(1);
  expect(runs[0]?.signal.aborted).toBe(true);
  expect([one.items, two.items]).toEqual([['a'], ['a', 'b']]);
});

it('runs again for a later listener, who gets nothing of the first run', () => {
  const { source, runs } = openSource();
  source.listen(collector())();
  const later = collector();
  source.listen(later);
  runs[0]?.emit('old');
  runs[1]?.emit('new');
  expect(later.items).toEqual(['new']);
});

it('tells all listeners why it has ended', async () => {
  const { source, runs } = openSource();
  const [one, two] = [collector(), collector()];
  const opened = source.opened(one);
  runs[0]?.emit('a');
  await opened;
  const waiting = source.opened(two);
  const error = new Error('gone');
  runs[0]?.end(error);
  await expect(waiting).rejects.toBe(error);
  expect(one.errors).toEqual([error]);
});

it('leaves with the signal of one who waits', async () => {
  const { source, runs } = openSource();
  const left = new AbortController();
  const waiting = source.opened(collector(), left.signal);
  left.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  expect(runs[0]?.signal.aborted).toBe(true);
});
