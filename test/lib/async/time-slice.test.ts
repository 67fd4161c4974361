import { expect, it, vi } from 'vitest';
import { TimeSlice } from '../../../src/lib/async/time-slice.js';

it('is over after its time, and begins again after a turn of the event loop', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
  try {
    const slice = new TimeSlice(2);
    expect(slice.isOver).toBe(false);
    clock.mockReturnValue(1002.5);
    expect(slice.isOver).toBe(true);
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    await slice.next();
    expect(turned).toBe(true);
    expect(slice.isOver).toBe(false);
  } finally {
    clock.mockRestore();
  }
});
