import type { EngineDescriptor } from '../../engines/descriptor.js';
import { engines } from '../../engines/index.js';
import { engineNamed } from '../../engines/select.js';
import type { Environment } from '../../profile/index.js';

/** The engine to set up: the named one, else the first that runs already or needs no daemon. */
export async function chooseEngine(
  choice: string,
  env: Environment,
  signal?: AbortSignal,
): Promise<EngineDescriptor> {
  if (choice !== 'auto') return engineNamed(choice);
  for (const engine of engines) {
    const { daemon, needsRoot } = await engine.setup();
    if (needsRoot && process.getuid?.() !== 0) continue;
    if (daemon === undefined || (await daemon.isRunning(env, signal))) return engine;
  }
  return engineNamed(engines[0]?.name ?? '');
}
