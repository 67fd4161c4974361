import { targetRefused } from './errors.js';

/** Where a stream goes, taken apart. Everything after the host is secret. */
export interface Target {
  readonly secure: boolean;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** What RTMP calls the application: the path without the stream's name. */
  readonly app: string;
  /** The stream's name, with most services its key. */
  readonly stream: string;
  /** The address as `connect` tells it to the server: without the stream's name. */
  readonly tcUrl: string;
  /** For messages and logs: scheme, host and port alone. */
  readonly label: string;
}

/** Longest URL and stream key that are taken. */
export const MAX_URL = 2048;
export const MAX_STREAM_KEY = 1024;

const DEFAULT_PORT = { 'rtmp:': 1935, 'rtmps:': 443 } as const;

/**
 * Takes an RTMP URL apart. With `streamKey` the whole path is the application; without, its last
 * segment is the stream's name. Throws ApiError `invalid_request`; the message never holds more
 * of the URL than its scheme.
 */
export function parseTarget(text: string, streamKey?: string): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || hasSpaces(text) || text.length > MAX_URL) {
    throw targetRefused('The RTMP URL is not valid; it looks like rtmp://host/app/name.');
  }
  const { protocol } = url;
  if (protocol !== 'rtmp:' && protocol !== 'rtmps:') {
    throw targetRefused(`A stream goes to an rtmp or rtmps URL, not ${protocol.slice(0, -1)}.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw targetRefused('The RTMP URL must have no user name; give the stream key apart.');
  }
  if (url.hostname === '' || url.hash !== '' || url.port === '0') {
    throw targetRefused('The RTMP URL needs a host and no fragment: rtmp://host/app/name.');
  }
  if (streamKey !== undefined && (streamKey === '' || hasSpaces(streamKey))) {
    throw targetRefused('The stream key must not be empty and have no spaces.');
  }
  const port = url.port === '' ? DEFAULT_PORT[protocol] : Number(url.port);
  const { app, stream } = split(url, streamKey);
  if (app === '' || stream === '') {
    throw targetRefused(
      'The RTMP URL needs an application and a stream name or key: rtmp://host/app/name.',
    );
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
  const path = pathname.replace(/^\/+/, '').replace(/\/+$/, '');
  if (streamKey !== undefined) return { app: path + search, stream: streamKey };
  const slash = path.lastIndexOf('/');
  return { app: path.slice(0, Math.max(0, slash)), stream: path.slice(slash + 1) + search };
}

/** Spaces and control characters have no place in a URL, and URL parsers drop some of them. */
function hasSpaces(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}

/** `text` without the target's secrets, for messages that come from elsewhere. */
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
