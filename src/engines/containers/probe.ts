import type Docker from 'dockerode';
import { canAccess } from '../../lib/fs/access.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Probe } from '../engine.js';
import { addressOf, ask, isRemote } from './client.js';
import { dialectOf, type Trouble } from './dialect.js';
import { unreachable } from './errors.js';

const PROBE_MS = 4_000;

/** Whether the engine answers and runs Linux containers. Never throws. */
export async function probeEngine(docker: Docker, signal?: AbortSignal): Promise<Probe> {
  const address = await addressOf(docker);
  const dialect = dialectOf(docker);
  const { engine } = dialect;
  try {
    const version = await ask(docker, PROBE_MS, signal, (abortSignal) =>
      dialect.version(docker, abortSignal),
    );
    if (version.Os !== 'linux') {
      const reason = `the ${engine} at ${address} runs ${version.Os} containers`;
      return { usable: false, reason, remedy: 'docker context use default' };
    }
    const detail = `${engine} ${version.Version} at ${address}`;
    return { usable: true, version: version.Version, detail };
  } catch (error) {
    return { usable: false, ...(await why(docker, address, error)) };
  }
}

async function why(docker: Docker, address: string, error: unknown): Promise<Trouble> {
  const cause = error instanceof Error && error.cause ? error.cause : error;
  const dialect = dialectOf(docker);
  const away = unreachable(cause, dialect);
  if (away === undefined) {
    const reason = `${address}: ${errorMessage(error)}`;
    return { reason, remedy: dialect.restart };
  }
  const reason = `${away.reason} at ${address}`;
  if (isRemote(docker)) return { reason, remedy: 'unset DOCKER_HOST' };
  const { start } = dialect;
  const isStopped = away === dialect.silent && start && (await canAccess(start.program));
  return { reason, remedy: isStopped ? start.command : away.remedy };
}
