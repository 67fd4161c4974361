import ssh2 from 'ssh2';

export interface KeyPair {
  /** OpenSSH private key in PEM form; a secret. */
  readonly privateKey: string;
  /** One line for `authorized_keys`, without a comment. */
  readonly publicKey: string;
}

const TRIES = 10;

/**
 * A new Ed25519 key pair: small, fast to check, and known to every SSH server of the last decade.
 * One in some hundred pairs that ssh2 1.17 makes cannot be read again (its generator takes a number
 * for shorter than it is), so each is tried before it is given away.
 */
export function generateKeyPair(): KeyPair {
  for (let tries = 0; tries < TRIES; tries++) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519');
    if (works(pair.private, pair.public)) {
      return { privateKey: pair.private, publicKey: pair.public.trim() };
    }
  }
  throw new Error(`none of ${TRIES} generated SSH key pairs could be used`);
}

/** True when what the private half signs is good for the public half. */
function works(privateText: string, publicText: string): boolean {
  const privateKey = ssh2.utils.parseKey(privateText);
  const publicKey = ssh2.utils.parseKey(publicText);
  if (privateKey instanceof Error || publicKey instanceof Error) return false;
  const text = Buffer.from('vc');
  return publicKey.verify(text, privateKey.sign(text)) === true;
}
