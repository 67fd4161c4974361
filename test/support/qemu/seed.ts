import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { defaultCacheDirectory } from '../../../src/images/cache.js';

const VC = fileURLToPath(new URL('../../../bin/vc.js', import.meta.url));
/** The read-only parts of a state directory, which all services can share. */
const SHARED = ['images', 'templates'];

/**
 * `VC_TEST_QEMU_SEED` if that is set, else a state directory in the cache with the Linux image for
 * QEMU and its template, created with the command line. Takes minutes the first time, then a second.
 */
export async function prepareQemuSeed(say: (line: string) => void): Promise<string> {
  const configured = process.env.VC_TEST_QEMU_SEED;
  if (configured !== undefined) return configured;
  const seed = join(defaultCacheDirectory(), 'test-qemu', 'seed');
  mkdirSync(seed, { recursive: true, mode: 0o700 });
  say(`qemu: image and template in ${seed}`);
  await addImage(seed, 'linux');
  await warmImage(seed, 'linux');
  return seed;
}

/** Builds another image into a seed, unless it exists. */
export const addImage = (seed: string, name: string): Promise<void> =>
  inSeed(seed, ['image', 'build', name, '--engine', 'qemu', '--if-missing']);

/** Boots a template of an image in a seed, unless it exists. */
export const warmImage = (seed: string, image: string): Promise<void> =>
  inSeed(seed, ['image', 'warm', image]);

async function inSeed(seed: string, words: readonly string[]): Promise<void> {
  const env = { ...process.env, VC_STATE_DIR: seed };
  const startedAt = Date.now();
  await execa(process.execPath, [VC, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stderr.write(`qemu: vc ${words.join(' ')}: ${seconds} s\n`);
}

/** Links the seed's images and templates into the state of a service that has not been started. */
export async function plantQemuSeed(seed: string, stateDirectory: string): Promise<void> {
  const target = join(stateDirectory, 'qemu');
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  mkdirSync(target, { mode: 0o700 });
  for (const name of SHARED) {
    const source = join(seed, 'qemu', name);
    if (!existsSync(source)) continue;
    await execa('cp', ['-a', '-l', source, target]).catch(() =>
      execa('cp', ['-a', '--reflink=auto', '--sparse=always', source, target]),
    );
  }
}
