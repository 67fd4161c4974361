import { expect, test } from 'vitest';
import { computerOfHost } from '../../../src/cli/ssh/host.js';

test.each([
  ['desk.vc', 'desk'],
  ['desk.demo.vc', 'demo/desk'],
  ['web.1.demo.vc', 'demo/web.1'],
  ['Desk.My-Team_2.vc', 'My-Team_2/Desk'],
  ['cmp_0123456789abcdefghjk.vc', 'cmp_0123456789abcdefghjk'],
  ['desk', undefined],
  ['.vc', undefined],
  ['.demo.vc', undefined],
  ['desk..vc', undefined],
  ['../../desk.vc', undefined],
  ['desk.vc.example.com', undefined],
])('%s is %s', (host, computer) => {
  expect(computerOfHost(host)).toBe(computer);
});
