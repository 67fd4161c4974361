import type Docker from 'dockerode';
import { canAccess } from '../../lib/fs/access.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Probe } from '../engine.js';
import { addressOf, ask, isRemote, untyped } from './client.js';
import { unreachable } from './errors.js';

const PROBE_MS = 4_000;

/** Whether the Engine answers and runs Linux containers. Never throws. */
export async function probeEngine(docker: Docker, signal?: AbortSignal): Promise<Probe> {
  const address = await addressOf(docker);
  try {
    const version = await ask(PROBE_MS, signal, (abortSignal) =>
      untyped(docker).version({ abortSignal }),
    );
    if (version.Os !== 'linux') {
      const reason = `the Docker Engine at ${address} runs ${version.Os} containers`;
      return { usable: false, reason, remedy: 'docker context use default' };
    }
    const detail = `Docker Engine ${version.Version} at ${address}`;
    return { usable: true, version: version.Version, detail };
  } catch (error) {
    return { usable: false, ...(await why(docker, address, error)) };
  }
}

async function why(
  docker: Docker,
  address: string,
  error: unknown,
): Promise<{ reason: string; remedy: string }> {
  const cause = error instanceof Error && error.cause ? error.cause : error;
  const away = unreachable(cause);
  if (away === undefined) {
    const reason = `${address}: ${errorMessage(error)}`;
    return { reason, remedy: 'sudo systemctl restart docker' };
  }
  const reason = `${away.reason} at ${address}`;
  if (isRemote(docker)) return { reason, remedy: 'unset DOCKER_HOST' };
  const stopped = away.remedy === 'vc setup' && (await canAccess('/usr/bin/dockerd'));
  return { reason, remedy: stopped ? 'sudo systemctl start docker' : away.remedy };
}
