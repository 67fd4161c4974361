import { readFileSync, statfsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** An address without a listener, for tests that name no Engine. */
const NO_ENGINE = 'unix:///nonexistent/docker.sock';

const NO_PODMAN = 'unix:///nonexistent/podman.sock';

/**
 * Clears the host's settings from the environment, so that no test depends on them or touches the
 * host through them. `VC_TEST_*` configure the tests and stay; the image cache stays where it is.
 */
export function isolateEnvironment(env: NodeJS.ProcessEnv): void {
  const cache =
    env.VC_TEST_CACHE_DIR ??
    env.VC_CACHE_DIR ??
    join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'vc');
  for (const name of Object.keys(env)) {
    const isOurs = name.startsWith('VC_') && !name.startsWith('VC_TEST_');
    if (
      isOurs ||
      name.startsWith('DOCKER_') ||
      name.startsWith('CONTAINER') ||
      name.startsWith('XDG_')
    )
      delete env[name];
  }
  env.VC_CACHE_DIR = cache;
  env.DOCKER_HOST = env.VC_TEST_STAND_IN_ENGINE ?? NO_ENGINE;
  env.CONTAINER_HOST = NO_PODMAN;
}

const MEMORY = '/dev/shm';
/** Free bytes that the unit tests need at most, with a wide margin. */
const ENOUGH = 2 ** 31;

/**
 * The directory for temporary files of unit tests: in memory if there is room, since SQLite waits
 * for the disk after each step. Undefined for the system's own, also if programs cannot run there.
 */
export function memoryDirectory(): string | undefined {
  try {
    const [, , type, options = ''] =
      readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .map((line) => line.split(' '))
        .find(([, path]) => path === MEMORY) ?? [];
    if (type !== 'tmpfs' || /\b(ro|noexec)\b/.test(options)) return undefined;
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}
