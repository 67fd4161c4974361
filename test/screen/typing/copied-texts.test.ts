import { afterEach, expect, test, vi } from 'vitest';
import { openScreen } from '../../../src/screen/index.js';
import { CopiedTexts } from '../../../src/screen/typing/guest-clipboard.js';
import { eventually } from '../../support/eventually.js';
import { FakeServer, guestClipboard } from '../fake-server.js';

afterEach(() => void vi.useRealTimers());

function recorded() {
  const copied = new CopiedTexts();
  const seen: string[] = [];
  copied.onCopied = ({ text }) => void seen.push(text);
  return { copied, seen };
}

test('texts that a person copies are passed on at once', () => {
  const { copied, seen } = recorded();
  for (let nth = 0; nth < 10; nth++) copied.add(`text ${nth}`);
  expect(seen).toHaveLength(10);
});

test('of texts that come too fast the latest follows when there is time', () => {
  vi.useFakeTimers();
  const { copied, seen } = recorded();
  const large = 'x'.repeat(1024 * 1024);
  for (let nth = 0; nth < 100; nth++) copied.add(large + nth);
  expect(seen).toHaveLength(1);
  vi.advanceTimersByTime(2000);
  expect(seen).toEqual([`${large}0`, `${large}99`]);
  for (let ms = 0; ms < 10_000; ms += 50) {
    copied.add(large + ms);
    vi.advanceTimersByTime(50);
  }
  expect(seen.length).toBeLessThan(15);
  copied.add('last');
  copied.close();
  vi.advanceTimersByTime(10_000);
  expect(seen).not.toContain('last');
});

test('a guest that copies one text after the other reaches listeners with few of them', async () => {
  const server = new FakeServer();
  const screen = await openScreen(server.client);
  const seen: string[] = [];
  screen.on('clipboard', ({ text }) => void seen.push(text));
  const large = 'x'.repeat(200_000);
  for (let nth = 0; nth < 30; nth++) server.send(guestClipboard(`${large}${nth}`));
  await eventually(async () => seen.at(-1) === `${large}29`);
  expect(seen.length).toBeLessThan(30);
  screen.close();
});
