import { execFileSync, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

/* What Chromium's launcher in the image sources before each start. */
const SETTINGS = 'images/linux/files/etc/chromium.d/vc';

let home: string;
let profile: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'vc-chromium-'));
  profile = join(home, '.config/chromium');
  mkdirSync(profile, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const start = () => {
  execFileSync('sh', ['-c', `. ${SETTINGS}`], { env: { ...process.env, HOME: home } });
  return lstatSync(join(profile, 'SingletonLock'), { throwIfNoEntry: false }) !== undefined;
};
const lock = (owner: string) => symlinkSync(owner, join(profile, 'SingletonLock'));

it.each(['old-name-4194999', 'old-name-1', 'old-name-'])(
  'the lock %s of a Chromium that has ended is removed, so that a window opens',
  (owner) => {
    lock(owner);
    symlinkSync('/tmp/nowhere', join(profile, 'SingletonSocket'));
    expect(start()).toBe(false);
    expect(lstatSync(join(profile, 'SingletonSocket'), { throwIfNoEntry: false })).toBeUndefined();
  },
);

it('the lock of a running Chromium stays, also under another host name', async () => {
  const running = spawn('sleep', ['60'], { argv0: '/usr/lib/chromium/chromium' });
  try {
    await new Promise((resolve) => running.once('spawn', resolve));
    lock(`old-name-${running.pid}`);
    expect(start()).toBe(true);
  } finally {
    running.kill();
  }
});

it('a profile without a lock is left alone', () => {
  expect(start()).toBe(false);
});
