import { expect, test } from 'vitest';
import { cursorRectangle } from '../../src/vnc-server/server-messages.js';

test('the image of a pointer is made once for all views', () => {
  const pixels = Buffer.alloc(512 * 512 * 4, 7);
  const cursor = { width: 512, height: 512, hotX: 0, hotY: 0, pixels };
  const made = cursorRectangle(cursor);
  expect(cursorRectangle(cursor) === made).toBe(true);
});
