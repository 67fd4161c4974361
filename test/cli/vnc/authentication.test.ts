import { expect, test } from 'vitest';
import { responseTo } from '../../../src/cli/vnc/authentication.js';

// From `openssl enc -des-ecb -nopad -provider legacy` with the key of reversed bits.
test.each([
  ['password', 'b866924125c8eebb9debc1db61c538e2'],
  ['password, too long', 'b866924125c8eebb9debc1db61c538e2'],
  ['short', '5b346bb6a6a41150d972a67efc94be85'],
])('the response to a challenge is that of VNC clients: %s', (password, expected) => {
  const challenge = Buffer.from(Array.from({ length: 16 }, (_, byte) => byte));
  expect(responseTo(challenge, password).toString('hex')).toBe(expected);
});
