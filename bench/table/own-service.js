import { linkMachines, startService } from '../service.js';
import { startEngine } from './engine.js';
import { buildImage } from './image.js';

/**
 * A service of this checkout on `docker`, with an Engine of its own, or on `qemu`, with the images and
 * templates of the state directory `seed`. `close` ends both, and removes the machines.
 */
export async function openOwnService(engineName, seed, flags) {
  const all = ['--engine', engineName, '--log-level', 'warn', ...flags];
  if (engineName === 'qemu') {
    const service = await startService(all, linkMachines(seed));
    return { service, close: service.close };
  }
  const engine = await startEngine('bench-docker');
  try {
    const env = { DOCKER_HOST: engine.host };
    await buildImage(new URL('../../bin/vc.js', import.meta.url).pathname, env);
    const service = await startService(all, undefined, undefined, env);
    const close = async () => {
      await service.close();
      await engine.stop();
    };
    return { service, close };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}
