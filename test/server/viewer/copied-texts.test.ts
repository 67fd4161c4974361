import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { copiedTexts } from '../../../src/server/viewer/copied-texts.js';
import type { Viewer } from '../../../src/vnc-server/viewer.js';
import { eventually } from '../../support/eventually.js';

/** A view's copied texts, with the turn of the event loop in which each was taken. */
function openView() {
  const copied: { text: string; turn: number }[] = [];
  const viewer = { copy: (text: string) => copied.push({ text, turn: turns.now }) };
  const state = { held: 0, paused: 0, mayControl: true };
  const socket = {
    pause: () => {
      state.paused += 1;
    },
    resume: () => {
      state.paused -= 1;
    },
  };
  const left = new AbortController();
  const take = copiedTexts(viewer as unknown as Viewer, {
    socket: socket as unknown as WebSocket,
    caller: { ownerId: 'usr_a' },
    mayControl: () => state.mayControl,
    signal: left.signal,
    hold: (bytes) => {
      state.held += bytes;
    },
  });
  const send = (message: unknown) => take(Buffer.from(JSON.stringify(message)));
  return { copied, state, left, send };
}

const turns = { now: 0, isCounting: true };
const count = () => {
  turns.now += 1;
  if (turns.isCounting) setImmediate(count);
};

test('long texts of many views are taken in turns of their own, and in order', async () => {
  turns.isCounting = true;
  count();
  const views = Array.from({ length: 5 }, openView);
  for (const { send } of views) {
    send({ type: 'clipboard', text: 'a'.repeat(200_000) });
    send({ type: 'clipboard', text: 'b' });
  }
  expect(views.map(({ copied }) => copied.length)).toEqual([0, 0, 0, 0, 0]);
  expect(views.map(({ state }) => state.held > 200_000 && state.paused > 0)).not.toContain(false);
  await eventually(async () => views.every(({ copied }) => copied.length === 2));
  turns.isCounting = false;
  for (const { copied } of views) expect(copied.map(({ text }) => text[0])).toEqual(['a', 'b']);
  expect(new Set(views.map(({ copied }) => copied[0]?.turn)).size).toBe(5);
  await eventually(async () => views.every(({ state }) => state.held === 0 && state.paused === 0));
});

test('a message of many values is dropped, and one that waits when the view ends', async () => {
  const { copied, send, left, state } = openView();
  send({ type: 'clipboard', text: 'a', more: Array(100).fill([]) });
  send({ type: 'clipboard', text: 'b'.repeat(100_000) });
  left.abort(new Error('the viewer has left'));
  await eventually(async () => state.held === 0);
  send({ type: 'clipboard', text: 'c' });
  expect(copied.map(({ text }) => text)).toEqual(['c']);
});

test('a text that waited is not copied if another has taken control', async () => {
  const view = openView();
  view.send({ type: 'clipboard', text: 'x'.repeat(1_000) });
  view.send({ type: 'clipboard', text: 'y'.repeat(100_000) });
  view.state.mayControl = false;
  await eventually(async () => view.state.held === 0);
  expect(view.copied.map(({ text }) => text[0])).toEqual(['x']);
});
