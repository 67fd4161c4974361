import { request } from 'node:http';
import type { Environment } from '../../descriptor.js';

/** The Engine's unix socket according to DOCKER_HOST; undefined for another kind of address. */
export function dockerSocket(env: Environment): string | undefined {
  const host = env.DOCKER_HOST;
  if (!host) return '/var/run/docker.sock';
  return host.startsWith('unix://') ? host.slice('unix://'.length) : undefined;
}

export type Ping = 'answers' | 'denied' | 'silent';

/** Whether a Docker Engine answers on the socket, and whether this user may use it. */
export function pingDocker(socketPath: string, signal?: AbortSignal): Promise<Ping> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping', timeout: 3000, signal }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? 'answers' : 'silent');
    });
    ping.once('timeout', () => ping.destroy());
    ping.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EACCES' ? 'denied' : 'silent');
    });
    ping.end();
  });
}
