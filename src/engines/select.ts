import type { EngineDescriptor } from './descriptor.js';
import type { Engine } from './engine.js';
import { engines } from './index.js';

/** Throws for a name that no engine has: names from outside are checked before. */
export function engineNamed(name: string): EngineDescriptor {
  const engine = engines.find((candidate) => candidate.name === name);
  if (engine === undefined) throw new Error(`there is no engine ${JSON.stringify(name)}`);
  return engine;
}

/** The first that can be used; where none can, the first. */
export async function firstUsable(candidates: readonly Engine[]): Promise<Engine> {
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error('there is no engine to choose from');
  if (others.length === 0 || (await first.probe()).usable) return first;
  for (const engine of others) if ((await engine.probe()).usable) return engine;
  return first;
}
