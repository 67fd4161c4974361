import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { type Guest, openGuest } from './support/guest.js';

let guest: Guest | undefined;
afterEach(() => {
  vi.useRealTimers();
  guest?.close();
});

/** Lets three quarters of a minute pass, and replies come. */
async function wait(): Promise<void> {
  for (let time = 0; time < 45; time += 15) {
    vi.advanceTimersByTime(15_000);
    await sleep(20);
  }
}

it('a frozen guest is disconnected after a minute, from when signs of life are asked for', async () => {
  guest = await openGuest({ onConnection: (client) => client.on('request', () => undefined) });
  const { shell } = guest;
  const ended = vi.fn();
  shell.onClose(ended);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await wait();
  await wait();
  shell.keepAlive();
  shell.keepAlive();
  await wait();
  expect(shell.open).toBe(true);
  await wait();
  expect(shell.open).toBe(false);
  expect(ended.mock.calls).toMatchObject([[{ code: 'guest_failed' }]]);
  expect(vi.getTimerCount()).toBe(0);
});

it('a guest that answers stays connected', async () => {
  guest = await openGuest();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  guest.shell.keepAlive();
  await wait();
  await wait();
  await wait();
  expect(guest.shell.open).toBe(true);
});
