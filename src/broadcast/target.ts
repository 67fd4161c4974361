import { targetRefused } from './errors.js';

/** Where a connection goes. */
export interface Endpoint {
  readonly secure: boolean;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** For messages and logs: only scheme, host and port. */
  readonly label: string;
}

/** A parsed RTMP URL. Everything after the host is secret. */
export interface Target extends Endpoint {
  /** RTMP's application: the path without the stream's name. */
  readonly app: string;
  /** The stream's name, which is the stream key of most services. */
  readonly stream: string;
  /** The URL in RTMP's `connect` command: without the stream's name. */
  readonly tcUrl: string;
}

/** Length limits in characters. */
const MAX_URL = 2048;

const EXAMPLE = 'Use a URL like rtmp://host/app/name.';
const DEFAULT_PORT = { 'rtmp:': 1935, 'rtmps:': 443 } as const;

/**
 * Parses an RTMP URL. With `streamKey` the whole path is the application; without, its last
 * segment is the stream's name. Throws ApiError `invalid_request`, whose message contains only
 * the URL's scheme.
 */
export function parseTarget(text: string, streamKey?: string): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || hasSpaces(text) || text.length > MAX_URL) {
    throw targetRefused('The RTMP URL is not valid.', EXAMPLE);
  }
  const { protocol } = url;
  if (protocol !== 'rtmp:' && protocol !== 'rtmps:') {
    throw targetRefused(
      `A stream needs an rtmp or rtmps URL, not ${protocol.slice(0, -1)}.`,
      EXAMPLE,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw targetRefused('The RTMP URL must have no user name.', 'Pass the stream key separately.');
  }
  if (url.hostname === '' || url.hash !== '' || url.port === '0') {
    throw targetRefused('The RTMP URL must have a host and no fragment.', EXAMPLE);
  }
  if (streamKey !== undefined && (streamKey === '' || hasSpaces(streamKey))) {
    throw targetRefused('The stream key must not be empty or contain spaces.');
  }
  const port = url.port === '' ? DEFAULT_PORT[protocol] : Number(url.port);
  const { app, stream } = split(url, streamKey);
  if (app === '' || stream === '') {
    throw targetRefused('The RTMP URL must have an application and a stream name or key.', EXAMPLE);
  }
  return {
    secure: protocol === 'rtmps:',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    app,
    stream,
    tcUrl: `${protocol}//${url.hostname}:${port}/${app}`,
    label: `${protocol}//${url.host}`,
  };
}

function split({ pathname, search }: URL, streamKey: string | undefined) {
  const path = pathname.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '');
  if (streamKey !== undefined) return { app: path + search, stream: streamKey };
  const slash = path.lastIndexOf('/');
  return { app: path.slice(0, Math.max(0, slash)), stream: path.slice(slash + 1) + search };
}

/** Spaces and control characters are invalid in a URL, but URL parsers drop some of them. */
function hasSpaces(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}

/** Removes the target's secrets from a text of the server. */
export function redact(text: string, { app, stream }: Target): string {
  const hidden = [stream, decoded(stream), app].filter((secret) => secret.length > 3);
  return hidden.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
