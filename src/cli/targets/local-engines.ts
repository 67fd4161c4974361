import type { Engine } from '../../engines/engine.js';
import { engines } from '../../engines/index.js';
import { engineNamed, firstUsable } from '../../engines/select.js';

/** Opens the engines of this machine to look at them and their images, not to make machines. */
export function localEngines(stateDirectory: string): Promise<Engine[]> {
  return Promise.all(engines.map((engine) => engine.open(stateDirectory)));
}

/** The engine that `vc serve` on this machine would give new computers. */
export async function preferredEngine(choice: string, stateDirectory: string): Promise<Engine> {
  if (choice !== 'auto') return engineNamed(choice).open(stateDirectory);
  const automatic = engines.filter(({ onlyByName }) => !onlyByName);
  return firstUsable(await Promise.all(automatic.map(({ open }) => open(stateDirectory))));
}
