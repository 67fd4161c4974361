import { appendFileSync } from 'node:fs';

/** Longer bodies are not recorded. */
const MOST_BYTES = 64 * 1024;

/** Kinds of answers that are in the file. */
const seen = new Set();

/** Appends an answer as a line of JSON to `file`, unless one of its kind is there. */
export function recordAnswer({ method, url }, answer, file) {
  const path = url.split('?')[0];
  // The others are files of the web page.
  if (!path.startsWith('/api/')) return;
  let headers = {};
  let chunks = [];
  let length = 0;
  const { writeHead } = answer;
  answer.writeHead = function (...given) {
    const last = given.at(-1);
    if (typeof last === 'object') headers = last;
    return writeHead.apply(this, given);
  };
  for (const name of ['write', 'end']) {
    const own = answer[name];
    answer[name] = function (chunk, ...rest) {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
        length += chunk.length;
        if (length <= MOST_BYTES) chunks.push(Buffer.from(chunk));
        else chunks = [];
      }
      return own.call(this, chunk, ...rest);
    };
  }
  answer.once('finish', () => {
    const header = (name) => answer.getHeader(name) ?? headers[name];
    const type = String(header('content-type') ?? '').replace(/;.*/, '');
    const isWhole = type === 'application/json' && length <= MOST_BYTES;
    const body = isWhole ? parsed(Buffer.concat(chunks).toString()) : undefined;
    const { statusCode: status } = answer;
    const code = header('x-error-code');
    const kind = [method, path.replaceAll(/[^/]*[\dA-Z%][^/]*/g, '*'), status, type, code];
    const key = `${kind.join(' ')} ${shapeOf(body)}`;
    if (seen.has(key)) return;
    seen.add(key);
    const hasId = header('x-request-id') !== undefined;
    const line = { method, path, status, type, code, hasId, ...(isWhole && { body }) };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return `not JSON: ${text.slice(0, 200)}`;
  }
}

/** The body without its numbers, and with words only of its texts: those may be one of a list. */
function shapeOf(body) {
  return JSON.stringify(body, (_, value) => {
    if (typeof value === 'number') return 0;
    if (typeof value === 'string') return /^[a-z_-]{1,20}$/.test(value) ? value : '…';
    return Array.isArray(value) ? value.slice(0, 20) : value;
  });
}
