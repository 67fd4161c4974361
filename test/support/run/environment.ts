import { homedir } from 'node:os';
import { join } from 'node:path';

/** An address without a listener, for tests that name no Engine. */
const NO_ENGINE = 'unix:///nonexistent/docker.sock';

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
    if (isOurs || name.startsWith('DOCKER_') || name.startsWith('XDG_')) delete env[name];
  }
  env.VC_CACHE_DIR = cache;
  env.DOCKER_HOST = env.VC_TEST_STAND_IN_ENGINE ?? NO_ENGINE;
}
