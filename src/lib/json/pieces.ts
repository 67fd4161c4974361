/** Characters of a text that become JSON at once: at most six times as many. */
const SLICE = 8 * 1024;
/** An object or array up to this size becomes JSON at once. */
const SMALL = 4 * 1024;
/** What a value counts besides its characters. */
const PER_VALUE = 8;

/**
 * The JSON of a value in pieces, for a value that would take JSON.stringify too long in one turn of the
 * event loop. Joined, they are what JSON.stringify returns, without its further arguments.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > SLICE) yield* textPieces(value);
  else if (!isObject(value) || 'toJSON' in value || sizeOf(value, SMALL) <= SMALL) {
    // Only values in an array are not left out.
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) {
    let before = '[';
    for (const item of value) {
      yield before;
      yield* jsonPieces(item);
      before = ',';
    }
    yield ']';
  } else {
    let before = '{';
    for (const [key, part] of Object.entries(value)) {
      if (part === undefined || typeof part === 'function' || typeof part === 'symbol') continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* jsonPieces(part);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

function* textPieces(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    const end = start + SLICE;
    // Two code units of one character stay together: half of it would be escaped.
    const isHalf = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const slice = text.slice(start, isHalf ? end - 1 : end);
    yield JSON.stringify(slice).slice(1, -1);
    start += slice.length;
  }
  yield '"';
}

/** A measure of a value's JSON; it is not counted beyond `most`. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + PER_VALUE;
  let size = PER_VALUE;
  if (!isObject(value)) return size;
  for (const key in value) {
    size += key.length + sizeOf((value as Record<string, unknown>)[key], most - size);
    if (size > most) break;
  }
  return size;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
