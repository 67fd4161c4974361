import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { UpdateScheduler } from '../../../src/screen/model/update-scheduler.js';
import type { Connection } from '../../../src/screen/rfb/connection.js';
import { promise } from '../../support/run/promise.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

promise(20, 'a display server that reads nothing ends its connection, and nothing else', () => {
  const sent: string[] = [];
  const connection = Object.assign(new EventEmitter(), {
    isOpen: true,
    can: { fences: false, scancodes: true },
    framebuffer: { size: { width: 1, height: 1 }, bounds: { x: 0, y: 0, width: 1, height: 1 } },
    // The third message is too much, and closes it; sending on a closed one throws.
    send: () => {
      if (!connection.isOpen) throw new Error('closed');
      sent.push('wake');
      if (sent.length > 4) connection.isOpen = false;
    },
    requestUpdate: () => {
      if (!connection.isOpen) throw new Error('closed');
      sent.push('request');
    },
  });
  const scheduler = new UpdateScheduler(connection as unknown as Connection);
  scheduler.watch(10);
  // What a timer throws ends the process.
  for (let ms = 0; ms < 1_000; ms += 10) vi.advanceTimersByTime(10);
  expect(sent).toEqual(['wake', 'request', 'wake', 'request', 'wake']);
});
