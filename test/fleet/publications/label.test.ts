import { expect, it } from 'vitest';
import { newLabel } from '../../../src/fleet/publications/label.js';

it.each([
  [8000, 'desk', '8000-desk'],
  [80, 'My Desk!', '80-my-desk'],
  [1, 'Büro Überall', '1-buro-uberall'],
  [443, '計算機', '443'],
  [443, '--', '443'],
  [65_535, 'a'.repeat(128), `65535-${'a'.repeat(30)}`],
  [65_535, `${'a'.repeat(29)} b`, `65535-${'a'.repeat(29)}`],
  [80, '..\u0000%2f🖥️', '80-2f'],
])('the label of port %s of %j begins with %s', (port, name, start) => {
  const label = newLabel(port, name);
  expect(label.slice(0, -27)).toBe(start);
  expect(label.slice(-27)).toMatch(/^-[0-9a-z]{26}$/);
  // RFC 1123; "--" as third and fourth character is reserved (RFC 5891).
  expect(label).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
  expect(label).not.toContain('--');
});

it('no two are the same', () => {
  expect(newLabel(80, 'a')).not.toBe(newLabel(80, 'a'));
});
