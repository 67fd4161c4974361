import { expect, test } from 'vitest';
import { editCode } from '../../../src/fleet/computer-use/edit-code.js';
import {
  Frames,
  frameId,
  pictureScale,
  scaled,
  toScreen,
} from '../../../src/fleet/computer-use/frames.js';
import { Turns } from '../../../src/fleet/computer-use/turns.js';

const anthropic = { edge: 2576, patches: 4784, characters: 5_000_000 };

test.each([
  [{ width: 1280, height: 800 }, 1280, { width: 1280, height: 800 }],
  [{ width: 1920, height: 1080 }, 1280, { width: 1280, height: 720 }],
  [{ width: 800, height: 1600 }, 1280, { width: 640, height: 1280 }],
  [{ width: 640, height: 480 }, 1280, { width: 640, height: 480 }],
])('a picture of %j with %d pixels at the longer edge is %j', (screen, edge, size) => {
  expect(scaled(screen, pictureScale(screen, edge, anthropic))).toEqual(size);
});

test('a picture is never larger than its vendor accepts', () => {
  for (const [width, height] of [
    [3840, 2160],
    [2160, 3840],
    [2800, 2800],
    [3840, 400],
  ] as const) {
    const size = scaled({ width, height }, pictureScale({ width, height }, 3840, anthropic));
    expect(Math.max(size.width, size.height)).toBeLessThanOrEqual(2576);
    expect(Math.ceil(size.width / 28) * Math.ceil(size.height / 28)).toBeLessThanOrEqual(4784);
  }
});

test('points of a picture are converted to the screen, its corners to corners', () => {
  const convert = toScreen('pixels', { width: 1280, height: 720 }, { width: 1920, height: 1080 });
  expect(convert({ x: 0, y: 0 })).toEqual({ x: 0, y: 0 });
  expect(convert({ x: 640, y: 360 })).toEqual({ x: 960, y: 540 });
  expect(convert({ x: 1279, y: 719 })).toEqual({ x: 1919, y: 1079 });
  expect(() => convert({ x: 1280, y: 0 })).toThrow(/x from 0 to 1279/);
});

test('remembers a bounded number of frames', () => {
  const frames = new Frames(2);
  const frame = { id: frameId(), width: 1, height: 1, screen: { width: 1, height: 1 } };
  const caller = (keyId: string) => ({ ownerId: 'owner', keyId, computerId: 'computer' });
  for (const key of ['a', 'b', 'c']) frames.shown(caller(key), frame);
  expect([frames.last(caller('a')), frames.last(caller('c'))]).toEqual([undefined, frame]);
});

test('remembers a bounded number and size of results', async () => {
  const turns = new Turns({ calls: 2, pairBytes: 100, bytes: 150, pairs: 10 });
  let runs = 0;
  const run = (bytes: number) => async () => {
    runs += 1;
    return { bytes };
  };
  const call = (keyId: string, id: string, bytes = 10) =>
    turns.once({ ownerId: 'owner', keyId, computerId: 'pc' }, id, 'x', run(bytes));
  for (const id of ['1', '2', '3']) await call('a', id);
  await call('a', '3');
  expect(runs).toBe(3);
  await call('a', '1');
  expect(runs, 'the first was dropped').toBe(4);
  await call('b', '1', 90);
  await call('c', '1', 90);
  await call('b', '1', 90);
  expect(runs, 'those of other keys were dropped').toBe(7);
});

test('no text of the model is part of the code of an edit', () => {
  const edit = { command: 'create', path: '/tmp/"); import os #', file_text: "')\nboom(" } as const;
  expect(editCode(edit)).not.toContain('boom');
  expect(editCode(edit)).not.toContain('import os #');
});
