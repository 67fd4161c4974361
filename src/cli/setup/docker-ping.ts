import { request } from 'node:http';
import type { Environment } from '../../profile/index.js';

/** The socket of the Engine that DOCKER_HOST names; undefined when that is no unix socket. */
export function dockerSocket(env: Environment): string | undefined {
  const host = env.DOCKER_HOST;
  if (!host) return '/var/run/docker.sock';
  return host.startsWith('unix://') ? host.slice('unix://'.length) : undefined;
}

export type Ping = 'answers' | 'denied' | 'silent';

/** Does a Docker Engine answer at the socket, and to this user? */
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
