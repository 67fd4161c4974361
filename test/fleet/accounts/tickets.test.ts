import { expect, test, vi } from 'vitest';
import { Tickets } from '../../../src/fleet/accounts/tickets.js';
import { limitedHolder } from '../../../src/fleet/store/accounts/key-holders.js';
import { ownHolder } from '../../support/accounts/own-holder.js';
import { promise } from '../../support/run/promise.js';

const grant = {
  computerId: 'cmp_a',
  owner: { id: 'usr_a', keyId: 'key_a' },
  mode: 'view',
} as const;

promise(6, 'a ticket has 160 random bits and grants its access once', () => {
  const tickets = new Tickets(ownHolder);
  const { text } = tickets.issue(grant);
  expect(text).toMatch(/^vt_[0-9a-hjkmnp-tv-z]{32}$/);
  expect(tickets.redeem(text, 'cmp_a')).toMatchObject(grant);
  expect(() => tickets.redeem(text, 'cmp_a')).toThrow(/has been used/);
});

promise(6, 'a ticket expires after 60 seconds', () => {
  let now = 1_000_000;
  const tickets = new Tickets(ownHolder, () => now);
  const early = tickets.issue(grant);
  const late = tickets.issue(grant);
  expect(Math.abs(early.expiresAt.getTime() - Date.now() - 60_000)).toBeLessThan(5000);
  now += 59_999;
  expect(tickets.redeem(early.text, 'cmp_a').mode).toBe('view');
  now += 1;
  expect(() => tickets.redeem(late.text, 'cmp_a')).toThrow(/expired/);
});

promise(6, 'a ticket is refused for another computer, and then no longer valid', () => {
  const tickets = new Tickets(ownHolder);
  const { text } = tickets.issue(grant);
  expect(() => tickets.redeem(text, 'cmp_b')).toThrow(/another computer/);
  expect(() => tickets.redeem(text, 'cmp_a')).toThrow(/has been used/);
});

test('a ticket that was never issued is refused', () => {
  expect(() => new Tickets(ownHolder).redeem('', 'cmp_a')).toThrow();
  expect(() => new Tickets(ownHolder).redeem('vt_guess', 'cmp_a')).toThrow();
});

promise(29, 'an owner keeps a thousand open tickets, and cannot drop those of others', () => {
  const tickets = new Tickets(ownHolder);
  const other = tickets.issue({ ...grant, owner: { id: 'usr_b', keyId: 'key_b' } }).text;
  const texts = Array.from({ length: 10_001 }, () => tickets.issue(grant).text);
  expect(tickets.redeem(other, 'cmp_a').owner.id).toBe('usr_b');
  expect(() => tickets.redeem(texts[0] ?? '', 'cmp_a')).toThrow();
  expect(tickets.redeem(texts.at(-1) ?? '', 'cmp_a').computerId).toBe('cmp_a');
});

promise(29, 'a key cannot drop the tickets of another key of its owner', () => {
  const tickets = new Tickets(ownHolder);
  const other = { ...grant, owner: { id: grant.owner.id, keyId: 'key_other' } };
  const { text } = tickets.issue(other);
  for (let i = 0; i < 1_001; i += 1) tickets.issue(grant);
  expect(tickets.redeem(text, 'cmp_a').owner.keyId).toBe('key_other');
});

promise(6, 'tickets of a deleted key are revoked', () => {
  const tickets = new Tickets(ownHolder);
  const mine = tickets.issue(grant).text;
  const other = tickets.issue({ ...grant, owner: { id: 'usr_a', keyId: 'key_b' } }).text;
  tickets.revoke('key_a');
  expect(() => tickets.redeem(mine, 'cmp_a')).toThrow();
  expect(tickets.redeem(other, 'cmp_a').computerId).toBe('cmp_a');
});

promise(30, 'setting the clock back does not extend a ticket', (report) => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const tickets = new Tickets(ownHolder);
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

promise(29, 'limited keys cannot drop the tickets of a key with all rights', () => {
  const tickets = new Tickets((key) => (key === 'key_a' ? key : limitedHolder(key)));
  const mine = Array.from({ length: 1_000 }, () => tickets.issue(grant).text);
  const issue = (keyId: string) => tickets.issue({ ...grant, owner: { id: 'usr_a', keyId } }).text;
  const theirs = ['key_b', 'key_c'].flatMap((key) => Array.from({ length: 600 }, () => issue(key)));
  const isOpen = (text: string) => {
    try {
      return tickets.redeem(text, 'cmp_a') !== undefined;
    } catch {
      return false;
    }
  };
  expect(mine.filter(isOpen)).toHaveLength(1_000);
  expect(theirs.filter(isOpen)).toHaveLength(750);
});

test('the tickets of keys that one key has made push out none of another', () => {
  const holderOf = (key: string) => key.replace(/^made.*/, 'maker');
  const tickets = new Tickets(holderOf);
  const { text } = tickets.issue(grant);
  for (let i = 0; i < 1_500; i += 1) {
    tickets.issue({ ...grant, owner: { id: 'usr_a', keyId: `made ${i}` } });
  }
  expect(tickets.redeem(text, 'cmp_a').owner.keyId).toBe('key_a');
});
