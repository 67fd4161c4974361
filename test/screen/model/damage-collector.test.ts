import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DamageCollector } from '../../../src/screen/model/damage-collector.js';
import { DamageLog } from '../../../src/screen/model/damage-log.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pixel = (x: number) => ({ x, y: 0, width: 1, height: 1 });

function collected() {
  const log = new DamageLog();
  const onChange = vi.fn();
  return { log, onChange, collector: new DamageCollector(log, onChange) };
}

test('the first change is passed on at once, and those of the next milliseconds together', () => {
  const { log, onChange, collector } = collected();
  collector.add([pixel(0)]);
  expect(onChange).toHaveBeenCalledTimes(1);
  for (let nth = 1; nth <= 100; nth++) collector.add([pixel(5)]);
  expect(onChange).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(20);
  expect(onChange).toHaveBeenCalledTimes(2);
  expect(log.since(1)).toEqual([pixel(5)]);
  vi.advanceTimersByTime(1000);
  expect(onChange).toHaveBeenCalledTimes(2);
});

test('an update without a change is none', () => {
  const { log, onChange, collector } = collected();
  collector.add([]);
  vi.advanceTimersByTime(20);
  expect(onChange).not.toHaveBeenCalled();
  expect(log.version).toBe(0);
});

test('what was collected when the screen closes or gets another size', () => {
  const { log, collector } = collected();
  collector.add([pixel(0)]);
  collector.add([pixel(5)]);
  collector.clear();
  const { version } = log;
  collector.add([pixel(9)]);
  collector.close();
  expect(log.since(version)).toEqual([pixel(9)]);
  expect(vi.getTimerCount()).toBe(0);
});
