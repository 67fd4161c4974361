import { join } from 'node:path';
import type { ServiceSettings } from '../descriptor.js';
import { createQemuEngine, type QemuEngine } from './engine.js';

/** The engine of a service; without a service it is safe to use while one runs on that state. */
export function openQemu(stateDirectory: string, service?: ServiceSettings): QemuEngine {
  const directory = join(stateDirectory, 'qemu');
  if (service === undefined) {
    const visitor = { serviceId: 'command-line', allowNetworks: [], internet: true };
    return createQemuEngine({ ...visitor, directory, templates: 'on-demand' });
  }
  const { serviceId, internet, allowNetworks, options, warmUp, onProblem } = service;
  const poolSize = Number(options.spares ?? 0);
  const settings = { serviceId, internet, allowNetworks, poolSize, warmUp, onProblem };
  return createQemuEngine({ ...settings, directory });
}
