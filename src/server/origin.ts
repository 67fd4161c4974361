import type { IncomingMessage } from 'node:http';
import { ApiError } from '../contract/errors.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Which names this service is reached by. */
export interface Reachable {
  /** Host names that are allowed besides loopback, without a port. */
  readonly hosts: readonly string[];
}

/**
 * Refuses requests that were made for somebody else: no Host or several, a Host that is not this
 * service's (DNS rebinding), or an Origin that is not (a foreign page's form or script).
 */
export function checkOrigin(request: IncomingMessage, reachable: Reachable): void {
  const hosts = headerValues(request, 'host');
  const [host] = hosts;
  if (host === undefined || hosts.length !== 1 || !isOurs(host, reachable)) {
    const advice = 'allow a name of this service with "vc serve --allow-host NAME"';
    throw new ApiError('invalid_request', `The Host header is not this service's; ${advice}.`);
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
