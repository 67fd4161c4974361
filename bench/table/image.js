import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Builds or imports the Linux image of the launcher's checkout, if its Engine does not have it. */
export async function buildImage(vc, env) {
  const words = [vc, 'image', 'build', 'linux', '--engine', 'docker', '--if-missing'];
  await promisify(execFile)(process.execPath, words, {
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
}
