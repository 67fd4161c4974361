import { expect, test } from 'vitest';
import { takeCopiedText } from '../../../src/server/viewer/socket.js';
import type { Viewer } from '../../../src/vnc-server/viewer.js';

test('a text is copied, and a message of many values or another form is dropped', () => {
  const copied: string[] = [];
  const viewer = { copy: (text: string) => copied.push(text) } as unknown as Viewer;
  const send = (message: unknown) => takeCopiedText(viewer, Buffer.from(JSON.stringify(message)));
  send({ type: 'clipboard', text: 'a', more: Array(100).fill([]) });
  send({ type: 'other', text: 'b' });
  takeCopiedText(viewer, Buffer.from('{'));
  send({ type: 'clipboard', text: 'c'.repeat(100_000) });
  expect(copied).toEqual(['c'.repeat(100_000)]);
});
