import { expect, test } from 'vitest';
import { hostNameOf } from '../../../src/lib/text/host-name.js';

test.each([
  ['desk', 'desk'],
  ['My Desk 2', 'my-desk-2'],
  ['a_b.c', 'a-b-c'],
  ['Büro Ñandú', 'buro-nandu'],
  ['--web--', 'web'],
  ['ﬁrst ½', 'first-1-2'],
  ['机器', 'computer'],
  ['机器 7', '7'],
  ['🙂', 'computer'],
  ['../etc; rm -rf', 'etc-rm-rf'],
  [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ['x'.repeat(128), 'x'.repeat(63)],
])('%j becomes %j', (name, hostName) => {
  expect(hostNameOf(name)).toBe(hostName);
  expect(hostName).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
});
