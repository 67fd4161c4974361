import type { Environment } from '../../profile/index.js';
import type { EngineChoice, EngineName } from '../engine-choice.js';
import { dockerSocket, pingDocker } from './docker-ping.js';

/**
 * The engine that a machine is set up for: the named one; else Docker where an Engine runs, as the
 * service would choose; else QEMU, which needs no daemon.
 */
export async function chooseEngine(
  choice: EngineChoice,
  env: Environment,
  signal?: AbortSignal,
): Promise<EngineName> {
  if (choice !== 'auto') return choice;
  const socket = dockerSocket(env);
  // An Engine that is not on this machine's own socket was named by somebody.
  if (socket === undefined) return 'docker';
  return (await pingDocker(socket, signal)) === 'silent' ? 'qemu' : 'docker';
}
