import { expect, test } from 'vitest';
import { commandOf, takeCommand } from '../../../src/server/viewer/socket.js';
import type { Viewer } from '../../../src/vnc-server/viewer.js';

test('a text is copied or typed, and a message of many values or another form is dropped', () => {
  const copied: string[] = [];
  const typed: string[] = [];
  const viewer = {
    copy: (text: string) => copied.push(text),
    type: (text: string) => typed.push(text),
  } as unknown as Viewer;
  const take = (text: string) => {
    const command = commandOf(Buffer.from(text));
    if (command !== undefined) takeCommand(viewer, command);
  };
  const send = (message: unknown) => take(JSON.stringify(message));
  send({ type: 'clipboard', text: 'a', more: Array(100).fill([]) });
  send({ type: 'other', text: 'b' });
  take('{');
  send({ type: 'clipboard', text: 'c'.repeat(100_000) });
  send({ type: 'text', text: 'が' });
  send({ type: 'text', text: 'd'.repeat(1_001) });
  expect(typed).toEqual(['が']);
  expect(copied).toEqual(['c'.repeat(100_000)]);
});
