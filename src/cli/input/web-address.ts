import { UsageError } from '../errors/cli-error.js';

const SCHEMES = ['http:', 'https:', 'file:'];
const MOST_CHARACTERS = 8192;

/**
 * Parses the address of a web page: http, https or file. Without a scheme it is https, but http on
 * the computer itself.
 */
export function webAddress(text: string): string {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?([/?#]|$)/i.test(text);
  const isHost = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?([/?#]|$)/i.test(text);
  const address = isLocal ? `http://${text}` : isHost ? `https://${text}` : text;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !SCHEMES.includes(url.protocol)) {
    throw new UsageError(
      `must be an http, https or file address, not ${JSON.stringify(text.slice(0, 200))}`,
    );
  }
  if (url.href.length > MOST_CHARACTERS) {
    throw new UsageError(`must have at most ${MOST_CHARACTERS} characters`);
  }
  if (url.protocol === 'file:' && !isEncoded(url.pathname)) {
    throw new UsageError('must have two digits after each %', 'write %25 for a percent sign');
  }
  return url.href;
}

function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
