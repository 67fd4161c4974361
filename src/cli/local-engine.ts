import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../engines/engine.js';

/** The Docker Engine of this machine, to look at it and its images; it makes no machines. */
export async function localEngine(): Promise<Engine> {
  const { createDockerEngine } = await import('../engines/docker/index.js');
  return createDockerEngine({
    serviceId: 'command-line',
    directory: join(tmpdir(), 'vc-command-line'),
    allowSudo: false,
    allowNetworks: [],
    internet: true,
  });
}
