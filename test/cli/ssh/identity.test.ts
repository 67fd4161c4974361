import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { publicKey } from '../../../src/cli/ssh/identity.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-identity-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A context whose `ssh-keygen` is the given script, with the file in $FILE. */
function context(script?: string) {
  const programs = join(directory, 'bin');
  mkdirSync(programs);
  if (script !== undefined) {
    const path = join(programs, 'ssh-keygen');
    const file = `for FILE; do :; done; ${script}\n`;
    writeFileSync(path, `#!/bin/sh\n${file}`);
    chmodSync(path, 0o755);
  }
  const PATH = script === undefined ? programs : `${programs}:/usr/bin:/bin`;
  return { env: { PATH, VC_CONFIG_DIR: join(directory, 'config') } };
}

const files = () =>
  readdirSync(join(directory, 'config/ssh'), { recursive: true, encoding: 'utf8' }).sort();
const BOTH = ['identity', 'identity/id_ed25519', 'identity/id_ed25519.pub'];

test('commands that run at the same time have one key pair, which is kept', async () => {
  const made = context('echo secret >"$FILE"; echo "ssh-ed25519 KEY$$ vc" >"$FILE.pub"');
  const keys = await Promise.all([publicKey(made), publicKey(made), publicKey(made)]);
  expect(keys[0]).toMatch(/^ssh-ed25519 KEY\d+$/);
  expect(new Set([...keys, await publicKey(made)]).size).toBe(1);
  expect(files()).toEqual(BOTH);
});

test('a failure leaves no files', async () => {
  const failing = context('echo secret >"$FILE"; exit 1');
  await expect(publicKey(failing)).rejects.toThrow(/^cannot make a key pair in .*ssh\/identity$/);
  expect(files()).toEqual([]);
});

test('without ssh-keygen the error says what to install', async () => {
  await expect(publicKey(context())).rejects.toMatchObject({
    message: 'there is no program ssh-keygen on this machine',
    remedy: expect.stringContaining('apt-get install openssh-client'),
  });
});

test('a damaged public key is an error that names its directory', async () => {
  const made = context('echo secret >"$FILE"; : >"$FILE.pub"');
  await expect(publicKey(made)).rejects.toMatchObject({
    remedy: expect.stringMatching(/^remove .*ssh\/identity,/),
  });
});
