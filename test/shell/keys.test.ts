// @module-tag slow
import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { generateKeyPair } from '../../src/shell/keys.js';

it('always generates usable key pairs', () => {
  for (let i = 0; i < 200; i++) {
    const { privateKey, publicKey } = generateKeyPair();
    const parsed = ssh2.utils.parseKey(privateKey);
    expect(parsed).not.toBeInstanceOf(Error);
    if (parsed instanceof Error) continue;
    const [type, blob] = publicKey.split(' ');
    expect(type).toBe('ssh-ed25519');
    expect(parsed.getPublicSSH().toString('base64')).toBe(blob);
  }
});
