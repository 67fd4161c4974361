import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../engines/engine.js';
import type { Environment } from '../profile/index.js';
import { ENGINE_NAMES, type EngineChoice, type EngineName } from './engine-choice.js';

/** Where the engines of this machine are looked at: as the service here would see them. */
export interface Here {
  readonly env: Environment;
  readonly stateDirectory: string;
}

/** An engine of this machine, to look at it and its images; it is asked to make no machines. */
export async function localEngine(name: EngineName, here: Here): Promise<Engine> {
  return name === 'docker' ? localDocker() : localQemu(here);
}

export function localEngines(here: Here): Promise<Engine[]> {
  return Promise.all(ENGINE_NAMES.map((name) => localEngine(name, here)));
}

/** The engine that `vc serve` on this machine would give new computers. */
export async function preferredEngine(choice: EngineChoice, here: Here): Promise<Engine> {
  if (choice !== 'auto') return localEngine(choice, here);
  const { preferred } = await import('../server/engines.js');
  return preferred(await localEngines(here));
}

async function localDocker(): Promise<Engine> {
  const { createDockerEngine } = await import('../engines/docker/index.js');
  return createDockerEngine({
    serviceId: 'command-line',
    directory: join(tmpdir(), 'vc-command-line'),
    allowSudo: false,
    allowNetworks: [],
    internet: true,
  });
}

/** QEMU with the images and templates of the service on this machine, safely beside it. */
export async function localQemu({ stateDirectory }: Here) {
  const { createQemuEngine } = await import('../engines/qemu/index.js');
  return createQemuEngine({
    serviceId: 'command-line',
    directory: join(stateDirectory, 'qemu'),
    allowNetworks: [],
    internet: true,
    templates: 'on-demand',
  });
}
