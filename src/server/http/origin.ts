import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../contract/errors.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Which names this service is reached by. */
export interface Reachable {
  /** Host names that are allowed besides loopback, without a port. */
  readonly hosts: readonly string[];
}

/**
 * Rejects foreign Host or Origin headers: no Host or several, a Host that is not one of this
 * service's names (DNS rebinding), or another page's Origin.
 */
export function checkOrigin(request: IncomingMessage, reachable: Reachable): void {
  const hosts = headerValues(request, 'host');
  const [host] = hosts;
  if (host === undefined || hosts.length !== 1 || !isOurs(host, reachable)) {
    throw new ApiError('invalid_request', "The Host header is not one of this service's names.", {
      remedy: "Allow the name on the service's host: vc serve --allow-host NAME",
    });
  }
  for (const origin of headerValues(request, 'origin')) {
    if (origin !== `http://${host}` && origin !== `https://${host}`) {
      throw new ApiError('invalid_request', 'Requests from other web pages are refused.');
    }
  }
}

function isOurs(host: string, reachable: Reachable): boolean {
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  return LOOPBACK.includes(name) || reachable.hosts.some((known) => known.toLowerCase() === name);
}

/** Every value of a header: Node keeps only the first Host of several in `headers`. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}
