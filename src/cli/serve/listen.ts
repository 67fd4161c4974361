import { isIP } from 'node:net';
import { UsageError } from '../errors/cli-error.js';

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** Parses `127.0.0.1:4700`, `[::1]:4700`, `localhost:4700`, or only a port for loopback. */
export function parseListen(text: string): Listen {
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2] ?? '127.0.0.1';
  const isBracketed = match?.[1] !== undefined;
  if (match === null || port > 65_535 || (isBracketed && isIP(host) !== 6)) {
    throw new UsageError(
      `must be HOST:PORT, for example 127.0.0.1:4700, not ${JSON.stringify(text)}`,
    );
  }
  return { host, port };
}

/** True for loopback addresses. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** True if the host of a URL is loopback. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** The address as written in a URL. */
export function formatListen({ host, port }: Listen): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** The base URL for clients on the machine of the service. */
export function localBaseUrl({ host, port }: Listen): string {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${formatListen({ host: near, port })}/api`;
}

/** `https://app.example.com`: a scheme, a host and perhaps a port, as browsers send it. */
export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.origin === text) return text;
  throw new UsageError(
    `must be an origin such as https://app.example.com or http://localhost:3000, not ${JSON.stringify(text)}`,
  );
}

/** `10.1.0.0/16`. */
export function parseNetwork(text: string): string {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  const maxBits = family === 4 ? 32 : 128;
  if (family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits && rest.length === 0) {
    return text;
  }
  throw new UsageError(
    `must be a network such as 192.168.1.0/24 or 10.0.0.5/32, not ${JSON.stringify(text)}`,
  );
}

/** A host name or address without a port. */
export function parseHostName(text: string): string {
  if (/^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/.test(text) || isIP(text) === 6) return text;
  throw new UsageError(`must be a host name without a port, not ${JSON.stringify(text)}`);
}

/** A domain below which there can be others, in lower case. */
export function parseDomain(text: string): string {
  const isName = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
  // 63 characters of a label, and a dot, come before it.
  if (isName.test(text) && text.length <= 189 && isIP(text) === 0) return text.toLowerCase();
  throw new UsageError(
    `must be a domain such as preview.example.com, without a port, not ${JSON.stringify(text)}`,
  );
}
