import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VC = fileURLToPath(new URL('../../../../bin/vc.js', import.meta.url));

/**
 * Starts to build the image that the set-up of the tests on QEMU (`test/support/qemu/seed.ts`) needs,
 * unless it exists. That set-up waits for it, because a build locks the image, and reports its failure.
 * Returns the process, if there is one.
 */
export function buildQemuImage() {
  const { VC_TEST_CACHE_DIR: cache, VC_TEST_QEMU_SEED: configured } = process.env;
  if (cache === undefined || configured !== undefined) return undefined;
  const seed = join(cache, 'test-qemu', 'seed');
  mkdirSync(seed, { recursive: true, mode: 0o700 });
  const env = { ...process.env, VC_CACHE_DIR: cache, VC_STATE_DIR: seed };
  for (const name of ['VC_ENGINE', 'VC_PROFILE', 'VC_API_KEY', 'VC_BASE_URL', 'DOCKER_HOST']) {
    delete env[name];
  }
  const argv = [VC, 'image', 'build', 'linux', '--engine', 'qemu', '--if-missing'];
  const child = spawn(process.execPath, argv, { env, stdio: 'ignore' });
  child.unref();
  return child;
}
