// @module-tag slow
import { expect, test, vi } from 'vitest';
import { Tickets } from '../../../src/fleet/accounts/tickets.js';
import { promise } from '../../support/run/promise.js';

const grant = {
  computerId: 'cmp_a',
  owner: { id: 'usr_a', keyId: 'key_a' },
  mode: 'view',
} as const;

promise(6, 'a ticket has 160 random bits and grants its access once', () => {
  const tickets = new Tickets();
  const { text } = tickets.issue(grant);
  expect(text).toMatch(/^vt_[0-9a-hjkmnp-tv-z]{32}$/);
  expect(tickets.redeem(text, 'cmp_a')).toMatchObject(grant);
  expect(() => tickets.redeem(text, 'cmp_a')).toThrow(/has been used/);
});

promise(6, 'a ticket expires after 60 seconds', () => {
  let now = 1_000_000;
  const tickets = new Tickets(() => now);
  const early = tickets.issue(grant);
  const late = tickets.issue(grant);
  expect(Math.abs(early.expiresAt.getTime() - Date.now() - 60_000)).toBeLessThan(5000);
  now += 59_999;
  expect(tickets.redeem(early.text, 'cmp_a').mode).toBe('view');
  now += 1;
  expect(() => tickets.redeem(late.text, 'cmp_a')).toThrow(/expired/);
});

promise(6, 'a ticket is refused for another computer, and then no longer valid', () => {
  const tickets = new Tickets();
  const { text } = tickets.issue(grant);
  expect(() => tickets.redeem(text, 'cmp_b')).toThrow(/another computer/);
  expect(() => tickets.redeem(text, 'cmp_a')).toThrow(/has been used/);
});

test('a ticket that was never issued is refused', () => {
  expect(() => new Tickets().redeem('', 'cmp_a')).toThrow();
  expect(() => new Tickets().redeem('vt_guess', 'cmp_a')).toThrow();
});

promise(29, 'an owner keeps a thousand open tickets, and cannot drop those of others', () => {
  const tickets = new Tickets();
  const other = tickets.issue({ ...grant, owner: { id: 'usr_b', keyId: 'key_b' } }).text;
  const texts = Array.from({ length: 10_001 }, () => tickets.issue(grant).text);
  expect(tickets.redeem(other, 'cmp_a').owner.id).toBe('usr_b');
  expect(() => tickets.redeem(texts[0] ?? '', 'cmp_a')).toThrow();
  expect(tickets.redeem(texts.at(-1) ?? '', 'cmp_a').computerId).toBe('cmp_a');
});

promise(6, 'tickets of a deleted key are revoked', () => {
  const tickets = new Tickets();
  const mine = tickets.issue(grant).text;
  const other = tickets.issue({ ...grant, owner: { id: 'usr_a', keyId: 'key_b' } }).text;
  tickets.revoke('key_a');
  expect(() => tickets.redeem(mine, 'cmp_a')).toThrow();
  expect(tickets.redeem(other, 'cmp_a').computerId).toBe('cmp_a');
});

promise(30, 'setting the clock back does not extend a ticket', (report) => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const tickets = new Tickets();
    const { text } = tickets.issue(grant);
    vi.advanceTimersByTime(61_000);
    vi.setSystemTime(Date.now() - 365 * 24 * 3_600_000);
    expect(() => tickets.redeem(text, 'cmp_a')).toThrow(/expired/);
    const fresh = tickets.issue(grant).text;
    vi.setSystemTime(Date.now() + 365 * 24 * 3_600_000);
    expect(tickets.redeem(fresh, 'cmp_a').mode).toBe('view');
    report('tickets with the clock a year back and ahead');
  } finally {
    vi.useRealTimers();
  }
});
