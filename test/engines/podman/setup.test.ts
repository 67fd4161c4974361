import { expect, it } from 'vitest';
import { isRootPrivate } from '../../../src/engines/podman/setup.js';

const other = '30 24 0:26 / /proc rw,relatime shared:12 - proc proc rw';
const line = (fields: string) => `24 1 254:0 / / rw,relatime${fields} - ext4 /dev/vda rw`;

it.each([
  ['', true],
  [' shared:1', false],
  [' shared:300 master:1', false],
  // It gets mounts of the host, and sends none back.
  [' master:1', true],
])('tells whether the root with %j has private mounts', (fields, isPrivate) => {
  expect(isRootPrivate([line(fields), other, ''].join('\n'))).toBe(isPrivate);
});

it('looks at the mount that is on top', () => {
  expect(isRootPrivate([line(''), line(' shared:1')].join('\n'))).toBe(false);
  expect(isRootPrivate('')).toBe(false);
});
